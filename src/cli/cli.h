// The command line: flags in, text out, exit codes 0 ok, 1 above a limit that --fail-above
// or --must-fit set, 2 usage, 3 bad input, 4 not available here, 5 internal.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/environment.h"
#include "src/base/error_text.h"

namespace wattree {

// What the outside world gives to a command; main() fills it, tests make their own.
struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  Environment environment;
  bool is_err_terminal = false;                     // A person reads `err`: progress is shown.
  std::vector<std::string> whole_environment = {};  // "NAME=value": for a program that is started.
  std::vector<std::string> command = {};            // After "--": a program to run, untouched.
  std::size_t width = 0;  // Of the terminal that `out` is, in cells; 0: no line is broken.
  // Made by run_cli().
  Services services = {};
  FieldName flag_of = {};  // "dtype" -> "--dtype"
};

int run_cli(const std::vector<std::string>& arguments, Surroundings surroundings);

}  // namespace wattree
