// Any bytes as a name or a file of powercap or of perf's power events.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/measure/meter/assumed.h"
#include "src/measure/meter/rapl_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)parse_zone_id(text);
  (void)parse_zone_name(text);
  (void)parse_microjoules(text);
  (void)parse_perf_event(text);
  (void)parse_perf_domain(text);
  if (const auto cpus = parse_cpu_list(text, 64); cpus && cpus->size() > 64) __builtin_trap();
  if (const auto assumption = parse_assumption(text);
      assumption.ok() && !(assumption.value().power.value >= 0.0)) {
    __builtin_trap();
  }
  return 0;
}
