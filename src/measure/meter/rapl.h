// Energy of CPU packages and memory by RAPL, the counters of Intel and AMD processors, through the
// kernel's powercap files or, where those may not be read, its perf events.
//
// What is in what: a package holds its cores and its uncore part (and its graphics); DRAM is beside
// it; psys, where there is one, is the whole platform, packages and memory included. So packages
// and DRAM are counted, everything else is shown beside them; psys is not what is counted because
// it depends on how the board was calibrated, and often was not. It counts where it is all there
// is.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/measure/meter/meter.h"

namespace wattree {

// Opens the event for one CPU, all processes; a descriptor, or a negative errno.
using OpenPerfEvent = int (*)(std::uint32_t type, std::uint64_t config, int cpu);
int open_perf_event(std::uint32_t type, std::uint64_t config, int cpu);

struct RaplRoots {
  std::filesystem::path sys = "/sys";
  std::filesystem::path proc = "/proc";
  OpenPerfEvent open_event = &open_perf_event;
};

// Every zone that can be read, each once: zones that intel-rapl-mmio repeats are dropped, and perf
// events are used only where no powercap file is readable.
Found find_rapl_meters(const RaplRoots& roots);

}  // namespace wattree
