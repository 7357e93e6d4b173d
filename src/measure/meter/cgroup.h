// Limits and use of the control group that a process runs in, version 1, 2 or both at once: inside
// a container, these and not the machine's are what a job has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/meter/meter.h"

namespace wattree {

// One line of /proc/PID/cgroup: "0::/path" is version 2, "4:memory:/path" version 1.
struct CgroupLine {
  std::string_view controllers;  // Comma-separated; empty for version 2.
  std::string_view path;
};
// Lines that are no such thing are left out.
std::vector<CgroupLine> parse_cgroup_lines(std::string_view text);

struct CgroupLimits {
  std::optional<double> cpus;                 // Of CPU time; absent where there is no limit.
  std::optional<std::uint64_t> memory_bytes;  // The least along the way to the root.
};
// `process` is a number or "self".
CgroupLimits find_cgroup_limits(const std::filesystem::path& proc_root,
                                const std::filesystem::path& sys_root, std::string_view process);

// "cgroup.cpu" (seconds) and "cgroup.memory" (bytes), where the process's group accounts for them.
Found find_cgroup_meters(const std::filesystem::path& proc_root,
                         const std::filesystem::path& sys_root, std::string_view process);

}  // namespace wattree
