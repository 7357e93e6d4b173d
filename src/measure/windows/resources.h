// What a machine did while a window was measured. What was not seen is absent.
#pragma once

#include <cstdint>
#include <optional>

#include "src/base/units.h"

namespace wattree {

// What a device and its host were doing; absent where no meter tells.
struct Resources {
  std::optional<double> cpu_percent;         // Of all threads of the machine.
  std::optional<double> own_cpu_percent;     // This process's part of it.
  std::optional<double> ram_percent;         // In use.
  std::optional<double> own_ram_percent;     // By this process.
  std::optional<double> gpu_percent;         // Of the time in which a kernel ran,
  std::optional<double> gpu_memory_percent;  // and in which memory was read or written.
  std::optional<double> gpu_memory_used_percent;
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // Every reason seen, as NVML's bits.
  std::optional<Watts> sampled_power;             // Mean of the power readings.
  // Counters beside the one that windows are cut at.
  std::optional<Joules> cpu_energy;
  std::optional<Joules> dram_energy;
  int samples = 0;
};

}  // namespace wattree
