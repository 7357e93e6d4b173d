// Any bytes as the records of measuring sessions: an error, or sessions whose windows have figures
// with positive times that are found by the key they have, and whose single ops are kernels or
// problems that are told.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/measure/windows/read_windows.h"
#include "src/predict/fit/kernel_data.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  auto read = parse_windows({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!read.ok()) return 0;
  const auto no_passes = [](const MeasuredSession&, const MeasuredWindow&) -> Result<ModelTree> {
    return Error{ErrorCode::kInvalidInput, "no models here", ""};
  };
  if (const auto kernels = kernel_data(read.value(), no_passes); kernels.ok()) {
    for (const KernelSample& sample : kernels.value().data.samples) {
      if (!(sample.time.value > 0) || !(sample.energy.value > 0)) __builtin_trap();
    }
  }
  const auto figures = figures_of(std::move(read).value(), "NVIDIA H200");
  if (!figures.ok()) return 0;
  for (const auto& [key, of] : figures.value()) {
    if (key != window_key(of.key, of.cache, of.is_paused)) __builtin_trap();
    if (!(of.time > Seconds())) __builtin_trap();
  }
  return 0;
}
