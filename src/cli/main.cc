#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <utility>

#include "src/cli/cli.h"
#include "src/cli/wrapped_output.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const wattree::Surroundings surroundings{std::cout,
                                           std::cerr,
                                           [](const char* name) -> std::optional<std::string> {
                                             const char* value = std::getenv(name);
                                             if (value == nullptr) return std::nullopt;
                                             return value;
                                           },
                                           isatty(STDERR_FILENO) != 0,
                                           std::move(environment),
                                           {},
                                           wattree::terminal_width()};
  return wattree::run_cli(arguments, surroundings);
}
