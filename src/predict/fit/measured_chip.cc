#include "src/predict/fit/measured_chip.h"

#include <algorithm>
#include <string_view>

namespace wattree {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

struct KnownChip {
  std::string_view hardware;
  Chip chip;
};
constexpr KnownChip kChips[] = {
    {"NVIDIA H200",
     {.processors = 132,
      .cache_mib = 40,
      .half_gflop_per_us = 0.8,
      .single_gflop_per_us = 0.046,
      .mib_per_us = 4.0e6 / (1024 * 1024)}},
};

}  // namespace

Chip chip_of(const MeasuredSession& session, const std::vector<MeasuredRate>& rates) {
  for (const KnownChip& known : kChips) {
    if (known.hardware == session.device) return known.chip;
  }
  Chip chip;
  if (session.multiprocessors > 0) chip.processors = static_cast<int>(session.multiprocessors);
  // Some of a cache always holds other things.
  if (session.cache_bytes > 0) chip.cache_mib = session.cache_bytes / kMiB / 1.5;
  double half = 0;
  double single = 0;
  double any_mib_per_us = 0;
  double large_mib_per_us = 0;  // Of what cannot come from the cache.
  for (const MeasuredRate& rate : rates) {
    const double us = 1e6 * rate.time_s;
    double& most = rate.is_single ? single : half;
    most = std::max(most, rate.matmul_flops / 1e9 / us);
    const double mib_per_us = rate.bytes / kMiB / us;
    any_mib_per_us = std::max(any_mib_per_us, mib_per_us);
    if (rate.bytes > 2 * session.cache_bytes) {
      large_mib_per_us = std::max(large_mib_per_us, mib_per_us);
    }
  }
  // Where one precision was not measured, the other's rate is better than none.
  if (half > 0 || single > 0) {
    chip.half_gflop_per_us = half > 0 ? half : single;
    chip.single_gflop_per_us = single > 0 ? single : half;
  }
  if (any_mib_per_us > 0) {
    chip.mib_per_us = large_mib_per_us > 0 ? large_mib_per_us : any_mib_per_us;
  }
  return chip;
}

}  // namespace wattree
