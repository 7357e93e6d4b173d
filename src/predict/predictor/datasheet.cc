#include "src/predict/predictor/datasheet.h"

#include "src/base/mib.h"

namespace wattree {
namespace {

// Of energy and time alike: nobody knows. On the one card with published figures, a GTX 1070,
// times were up to 2.32 of the measured ones (docs/predicting.md).
// Where nobody says how large a cache is: one that few devices have less than.
constexpr double kUnknownCacheMib = 2;

}  // namespace

Peak peak_of(const Datasheet& sheet) {
  return {sheet.half_gflops / 1e6, sheet.single_gflops / 1e6, sheet.gb_per_s * 1e3 / kMiB,
          sheet.cache_mib};
}

Predictor scaled_by_datasheet(const Predictor& measured, const Datasheet& from,
                              const Datasheet& to) {
  Predictor out = measured;
  out.name = "datasheet";
  out.hardware = to.name;
  out.meter = "none: prices of " + measured.name + ", scaled by datasheets";
  out.is_assumed = true;
  const double half = from.half_gflops / to.half_gflops;
  const double single = from.single_gflops / to.single_gflops;
  const double traffic = from.gb_per_s / to.gb_per_s;
  const double power = to.tdp_w / from.tdp_w;
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    if (!out.kinds[k]) continue;
    const KindFacts& kind = facts_of(static_cast<WorkKind>(k));
    out.kinds[k]->energy_spread = out.kinds[k]->time_spread = kAssumedHalfWidth;
    for (std::size_t t = 0; t < kind.terms.size(); ++t) {
      double longer = 1;
      switch (kind.terms[t].bound) {
        case Bound::kLaunch:
        case Bound::kClock: break;
        case Bound::kArithmetic:
          longer = kind.arithmetic == Arithmetic::kSingle ? single : half;
          break;
        case Bound::kTraffic: longer = traffic; break;
      }
      out.kinds[k]->time[t] *= longer;
      out.kinds[k]->energy[t] *= longer * power;
    }
  }
  out.chip.half_gflop_per_us /= half;
  out.chip.single_gflop_per_us /= single;
  out.chip.mib_per_us /= traffic;
  out.chip.peak = peak_of(to);
  if (out.chip.peak.cache_mib <= 0) out.chip.peak.cache_mib = kUnknownCacheMib;
  out.idle_w *= power;
  out.anchor = {};
  if (out.power_cap) out.power_cap->limit_w = to.tdp_w;
  if (out.eager) out.eager->waiting_w *= power;
  Spread wide;
  wide.energy.fill(kAssumedHalfWidth);
  wide.time.fill(kAssumedHalfWidth);
  wide.twin_energy = wide.twin_time = kAssumedHalfWidth;
  out.spreads.fill(std::nullopt);
  out.spreads[static_cast<std::size_t>(Known::kNothing)] = wide;
  out.single_spread.reset();
  out.errors.fill(std::nullopt);
  out.models.clear();
  out.trees = 0;
  return out;
}

}  // namespace wattree
