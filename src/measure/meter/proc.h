// CPU time and memory from /proc, of the machine and of single processes: the resource features
// "CPU utilisation" and "memory usage" that energy is predicted from (IrEne, Table 1 and A.3).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/measure/meter/meter.h"

namespace wattree {

// Clock ticks since boot, summed over all CPUs. Busy is user, nice, system, irq and softirq time.
// Stolen time (another virtual machine ran) is in the total alone: it was not work of ours. Guest
// time is in user time already.
struct CpuTimes {
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
};

struct MemoryInfo {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;
};

struct ProcessTimes {
  std::uint64_t own_ticks = 0;       // User and system time.
  std::uint64_t children_ticks = 0;  // Of children that have ended and been waited for.
  std::uint64_t start_ticks = 0;     // Since boot: with the id, this names a process for good.
  std::uint64_t parent = 0;
};

// Parsers of /proc/stat, /proc/meminfo, /proc/PID/stat and /proc/PID/smaps_rollup or statm; nothing
// where the text is not what the kernel writes. They allocate nothing.
std::optional<CpuTimes> parse_cpu_times(std::string_view stat);
std::optional<MemoryInfo> parse_memory_info(std::string_view meminfo);
std::optional<ProcessTimes> parse_process_times(std::string_view stat);
// A share of each shared page: the shares of all processes add up.
std::optional<std::uint64_t> parse_proportional_memory(std::string_view smaps_rollup);
std::optional<std::uint64_t> parse_resident_memory(std::string_view statm, std::uint64_t page);

// CPUs that are on line.
unsigned count_cpus(const std::filesystem::path& proc_root);

// "host.cpu" (seconds of CPU time, all CPUs) and "host.memory" (percent in use).
Found find_host_meters(const std::filesystem::path& proc_root);

// "process.PID.cpu" and "process.PID.memory". Where the process ends, and also where another takes
// its number, they say "lost".
Found find_process_meters(const std::filesystem::path& proc_root, int process);

}  // namespace wattree
