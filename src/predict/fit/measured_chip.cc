#include "src/predict/fit/measured_chip.h"

#include <algorithm>

#include "src/base/mib.h"
#include "src/facts/hardware/device.h"

namespace wattree {
namespace {

// Some of a cache always holds other things: so much larger is it than what kernels have of it.
constexpr double kCacheOverhead = 1.5;

// The highest rates among the measured ones; 0 where none was measured.
struct Rates {
  double half_gflop_per_us = 0;
  double single_gflop_per_us = 0;
  double mib_per_us = 0;
};

Rates highest(const std::vector<MeasuredRate>& rates, double cache_bytes) {
  Rates out;
  double any_mib_per_us = 0;
  double large_mib_per_us = 0;  // Of what cannot come from the cache.
  for (const MeasuredRate& rate : rates) {
    const double us = 1e6 * rate.time.value;
    double& most = rate.is_single ? out.single_gflop_per_us : out.half_gflop_per_us;
    most = std::max(most, rate.matmul_flops / 1e9 / us);
    const double mib_per_us = rate.bytes / kMiB / us;
    any_mib_per_us = std::max(any_mib_per_us, mib_per_us);
    if (rate.bytes > 2 * cache_bytes) large_mib_per_us = std::max(large_mib_per_us, mib_per_us);
  }
  out.mib_per_us = large_mib_per_us > 0 ? large_mib_per_us : any_mib_per_us;
  // Where one precision was not measured, the other's rate is better than none.
  if (out.half_gflop_per_us <= 0) out.half_gflop_per_us = out.single_gflop_per_us;
  if (out.single_gflop_per_us <= 0) out.single_gflop_per_us = out.half_gflop_per_us;
  return out;
}

}  // namespace

Chip chip_of(const MeasuredSession& session, const std::vector<MeasuredRate>& rates) {
  const Result<Device> found = find_device(session.device, bundled_devices());
  const Device known = found.ok() ? found.value() : Device();
  const Rates measured = highest(rates, session.cache_bytes);
  Chip chip;
  if (known.multiprocessors) {
    chip.processors = *known.multiprocessors;
  } else if (session.multiprocessors > 0) {
    chip.processors = static_cast<int>(session.multiprocessors);
  }
  if (known.last_level_cache_mib) {
    chip.cache_mib = *known.last_level_cache_mib / kCacheOverhead;
  } else if (session.cache_bytes > 0) {
    chip.cache_mib = session.cache_bytes / kMiB / kCacheOverhead;
  }
  const auto choose = [](std::optional<double> reached_per_s, double scale, double highest_per_us,
                         double& rate) {
    if (reached_per_s) {
      rate = *reached_per_s / scale;
    } else if (highest_per_us > 0) {
      rate = highest_per_us;
    }
  };
  chip.peak = {known.tensor_or_fp16_gflops.value_or(0) / 1e6, known.fp32_gflops.value_or(0) / 1e6,
               known.memory_gb_per_s.value_or(0) * 1e3 / kMiB,
               known.last_level_cache_mib.value_or(0)};
  choose(known.reached_tensor_or_fp16_gflops, 1e6, measured.half_gflop_per_us,
         chip.half_gflop_per_us);
  choose(known.reached_fp32_gflops, 1e6, measured.single_gflop_per_us, chip.single_gflop_per_us);
  choose(known.reached_memory_gb_per_s, kMiB / 1e3, measured.mib_per_us, chip.mib_per_us);
  return chip;
}

}  // namespace wattree
