// What measurements were made on: written at the head of every file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/protocol/watch.h"
#include "src/measure/runner/launch.h"

namespace wattree {

struct MachineFacts {
  DeviceFacts device;
  std::string card;  // Tells cards of one kind apart without naming them; empty for a processor.
  std::string boundary;             // "gpu", "host"; empty where no energy is measured.
  std::vector<std::string> meters;  // That energy comes from.
  std::string driver, system, processor, governor;
  unsigned cpus = 0;
  double ram_bytes = 0;
  std::optional<double> power_limit_w;
};

struct MachineRoots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};
MachineFacts describe_machine(const DeviceFacts& device, const Watch& watch,
                              const MachineRoots& roots);

// Of all its memory, in bytes; 0 where it is not known.
double ram_bytes(const std::filesystem::path& proc_root);

}  // namespace wattree
