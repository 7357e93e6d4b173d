// Any bytes as the records of a measuring session: an error, or figures whose times are positive
// and which are found by the key they have.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/api/measure_session.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  DeviceFacts device;
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  const auto read = parse_windows({reinterpret_cast<const char*>(data), size}, "fuzz", device);
  if (!read.ok()) return 0;
  for (const auto& [key, figures] : read.value()) {
    if (key != window_key(figures.key, figures.cache, figures.is_paused)) __builtin_trap();
    if (!(figures.time_s > 0)) __builtin_trap();
  }
  return 0;
}
