// Flags of the commands that measure.
#pragma once

#include <string>
#include <vector>

#include "src/api/measure/meters.h"
#include "src/cli/command.h"

namespace wattree {

struct MeterFlags {
  std::vector<std::string> assumptions;
  std::string sys_root = "/sys", proc_root = "/proc", nvml = "libnvidia-ml.so.1";

  // --assume
  void add_assume(CommandSyntax command);
  // Not for users: other roots and another library, so that tests need no hardware.
  void add_roots(CommandSyntax command);
  // Without the assumptions, which may be wrong.
  MeterQuery query(const Surroundings& world) const;
  // The shell's, with those roots.
  Services services(const Surroundings& world) const;
};

}  // namespace wattree
