// Another program, run to its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/base/units.h"

namespace wattree {

struct ProgramEnd {
  int exit_code = 0;  // 128 and more: the signal that ended it, as shells count.
  std::string out;    // What it printed,
  std::string err;    // and complained of.
};

// Nothing comes in at its standard input. Fails where there is no such program, and where it was
// ended because its time was over or `is_stopped` said so.
Result<ProgramEnd> run_program(
    const std::vector<std::string>& command, Seconds limit,
    const std::function<bool()>& is_stopped = [] { return false; });

}  // namespace wattree
