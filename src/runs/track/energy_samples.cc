#include "src/runs/track/energy_samples.h"

#include <algorithm>
#include <cmath>

namespace wattree {

const MeterEnergy* find_meter(const std::vector<MeterEnergy>& meters, std::int64_t meter) {
  for (const MeterEnergy& entry : meters) {
    if (entry.meter == meter) return &entry;
  }
  return nullptr;
}

MeterEnergy energy_between(const Totals& before, const Totals& after, Nanos at,
                           std::int64_t meter) {
  const MeterEnergy* a = find_meter(before.meters, meter);
  const MeterEnergy* b = find_meter(after.meters, meter);
  const MeterEnergy nothing{meter, {}, {}, {}, {}};
  if (b == nullptr) return a != nullptr ? *a : nothing;
  if (a == nullptr) a = &nothing;
  const Nanos apart = after.at - before.at;
  const double share =
      apart > 0
          ? std::clamp(static_cast<double>(at - before.at) / static_cast<double>(apart), 0.0, 1.0)
          : 1.0;
  return {meter, a->energy + (b->energy - a->energy) * share, a->energy, b->energy,
          a->covered + (b->covered - a->covered) * share};
}

void EnergySamples::add(const Totals& before, const Totals& after, Nanos begun) {
  if (sampled_.empty()) return;
  const double end = seconds(after.at - begun);
  while (true) {
    const double next = every_ * static_cast<double>(sampled_.front().size() + 1);
    if (next > end) return;
    const Nanos at = begun + static_cast<Nanos>(std::llround(next * 1e9));
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      sampled_[i].push_back(energy_between(before, after, at, static_cast<std::int64_t>(i)).energy);
    }
    if (sampled_.front().size() < most_) continue;
    for (std::vector<Joules>& series : sampled_) {
      for (std::size_t i = 0; 2 * i + 1 < series.size(); ++i) series[i] = series[2 * i + 1];
      series.resize(series.size() / 2);
    }
    every_ *= 2;
  }
}

std::vector<SampleSeries> EnergySamples::series(const std::vector<RunMeter>& meters) const {
  std::vector<SampleSeries> out;
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    if (sampled_[i].empty()) continue;
    const RunMeter& meter = meters[i];
    SampleSeries series{meter.name, meter.kind, {}, {}, meter.provenance};
    Joules before;
    for (std::size_t k = 0; k < sampled_[i].size(); ++k) {
      series.end.emplace_back(every_ * static_cast<double>(k + 1));
      series.energy.push_back(std::max(sampled_[i][k] - before, Joules()));
      before = std::max(before, sampled_[i][k]);
    }
    out.push_back(std::move(series));
  }
  return out;
}

}  // namespace wattree
