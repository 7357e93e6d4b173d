#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "src/cli/cli.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const wattree::Surroundings surroundings{std::cout, std::cerr,
                                           [](const char* name) -> std::optional<std::string> {
                                             const char* value = std::getenv(name);
                                             if (value == nullptr) return std::nullopt;
                                             return value;
                                           },
                                           isatty(STDERR_FILENO) != 0};
  return wattree::run_cli({argv + 1, argv + argc}, surroundings);
}
