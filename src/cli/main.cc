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
  const std::size_t width = wattree::prints_data(arguments) ? 0 : wattree::terminal_width();
  wattree::WrappedOutput buffer(std::cout, width);
  std::ostream wrapped(&buffer);
  const wattree::Surroundings surroundings{width > 0 ? wrapped : std::cout,
                                           std::cerr,
                                           [](const char* name) -> std::optional<std::string> {
                                             const char* value = std::getenv(name);
                                             if (value == nullptr) return std::nullopt;
                                             return value;
                                           },
                                           isatty(STDERR_FILENO) != 0,
                                           std::move(environment),
                                           {}};
  return wattree::run_cli(arguments, surroundings);
}
