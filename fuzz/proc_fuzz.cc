// Any bytes as a file of /proc: a number or none, never a crash and never an impossible one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/measure/meter/cgroup.h"
#include "src/measure/meter/proc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto times = parse_cpu_times(text); times && times->busy > times->total) {
    __builtin_trap();
  }
  if (const auto memory = parse_memory_info(text);
      memory && (memory->total_bytes == 0 || memory->available_bytes > memory->total_bytes)) {
    __builtin_trap();
  }
  (void)parse_process_times(text);
  (void)parse_proportional_memory(text);
  (void)parse_resident_memory(text, 4096);
  for (const CgroupLine& line : parse_cgroup_lines(text)) {
    if (!line.path.starts_with('/')) __builtin_trap();
  }
  return 0;
}
