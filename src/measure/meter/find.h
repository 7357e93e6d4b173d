// All meters of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/measure/meter/assumed.h"
#include "src/measure/meter/meter.h"
#include "src/measure/meter/rapl.h"
#include "src/measure/meter/visible.h"

namespace wattree {

struct MeterQuery {
  std::filesystem::path sys_root = "/sys";
  std::filesystem::path proc_root = "/proc";
  OpenPerfEvent open_event = &open_perf_event;
  std::string nvml_library = "libnvidia-ml.so.1";
  VisibleDevices visible;
  std::vector<Assumption> assumptions;
};

// GPUs, processors, what is assumed, and the resource meters of machine and control group. An
// assumption is counted only where nothing of its component is measured: else that would be counted
// twice.
Found find_meters(const MeterQuery& query);

}  // namespace wattree
