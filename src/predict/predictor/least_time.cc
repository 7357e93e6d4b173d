#include "src/predict/predictor/least_time.h"

#include <algorithm>

#include "src/base/mib.h"

namespace wattree {
namespace {

constexpr double kSmallestBlock = 64;  // That fused attention leaves out, where nothing is seen.

double gflop_of(const Work& w) {
  const double one = 2.0 * w.m * w.n * w.k / 1e9;
  switch (w.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution: return one;
    case WorkKind::kMatmul: return w.groups * one;
    case WorkKind::kAttention: return 0.5 * w.groups * one * seen_share(w, kSmallestBlock);
    default: return 0;
  }
}

// Units for 16 bits multiply TF32 at half their rate; frameworks let convolutions of fp32 use it.
double rate_of(const Work& w, const Peak& peak) {
  if (w.width <= 2) return peak.half_gflop_per_us;
  if (w.is_tf32 || w.kind == WorkKind::kConvolution || w.kind == WorkKind::kAttention) {
    return std::max(peak.single_gflop_per_us, peak.half_gflop_per_us / 2);
  }
  return peak.single_gflop_per_us;
}

}  // namespace

double least_time(const Work& work, const Peak& peak) {
  const double gflop = gflop_of(work);
  const double rate = rate_of(work, peak);
  const double arithmetic_us = gflop > 0 && rate > 0 ? gflop / rate : 0;
  if (peak.mib_per_us <= 0) return 1e-6 * arithmetic_us;
  double mib = std::max(0.0, bytes_of(work) / kMiB - peak.cache_mib);
  if (work.fetches_weight && work.kind == WorkKind::kGemm) {
    mib = std::max(mib, weight_bytes(work) / kMiB);
  }
  return 1e-6 * std::max(arithmetic_us, mib / peak.mib_per_us);
}

}  // namespace wattree
