// Energy of every meter up to each multiple of a step, at equal distances.
#pragma once

#include <cstddef>
#include <vector>

#include "src/runs/profile/profile.h"
#include "src/runs/track/record.h"

namespace wattree {

// Of one meter at a moment between two totals: the straight line, and what it lies between.
MeterEnergy energy_between(const Totals& before, const Totals& after, Nanos at, std::int64_t meter);
// Null where a meter is not among them.
const MeterEnergy* find_meter(const std::vector<MeterEnergy>& meters, std::int64_t meter);

// A longer run has coarser samples: where there are too many, every second one goes.
class EnergySamples {
 public:
  EnergySamples(double every_s, std::size_t most, std::size_t meters)
      : every_(every_s), most_(most), sampled_(meters) {}
  // The totals that were known, and those that are.
  void add(const Totals& before, const Totals& after, Nanos begun);
  std::vector<SampleSeries> series(const std::vector<RunMeter>& meters) const;

 private:
  double every_;
  std::size_t most_;
  std::vector<std::vector<Joules>> sampled_;
};

}  // namespace wattree
