#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <utility>

#include "src/cli/cli.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const wattree::Surroundings surroundings{std::cout,
                                           std::cerr,
                                           [](const char* name) -> std::optional<std::string> {
                                             const char* value = std::getenv(name);
                                             if (value == nullptr) return std::nullopt;
                                             return value;
                                           },
                                           isatty(STDERR_FILENO) != 0,
                                           std::move(environment),
                                           {}};
  return wattree::run_cli({argv + 1, argv + argc}, surroundings);
}
