// Meters of NVIDIA GPUs.
#pragma once

#include <filesystem>
#include <string>

#include "src/measure/meter/meter.h"
#include "src/measure/meter/visible.h"

namespace wattree {

struct NvmlQuery {
  std::string library = "libnvidia-ml.so.1";
  VisibleDevices visible;
  std::filesystem::path sys_root = "/sys";
};

// For every GPU that CUDA programs will see, as far as its driver supports it: energy (a counter),
// power now and over the last second, utilisation, memory, clocks, temperature, reasons for lowered
// clocks, power limit. The energy counter is what is counted; power is where there is no counter.
Found find_nvml_meters(const NvmlQuery& query);

}  // namespace wattree
