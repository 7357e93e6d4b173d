// An energy and a time with their 90 % intervals, as sums and means of predictions have them.
#pragma once

#include <algorithm>
#include <optional>

#include "src/base/units.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

struct PassEstimate {
  Joules energy;
  Seconds time;
  // Half of each interval. Errors of one predictor go the same way, so that the halves of a sum add
  // up like its parts: an interval may be too wide for it, never too narrow.
  Joules energy_half;
  Seconds time_half;

  Joules energy_low() const { return std::max(Joules(), energy - energy_half); }
  Joules energy_high() const { return energy + energy_half; }
  Seconds time_low() const { return std::max(Seconds(), time - time_half); }
  Seconds time_high() const { return time + time_half; }
  // Half of the interval relative to the figure.
  double energy_spread() const { return energy > Joules() ? energy_half.value / energy.value : 0; }
  double time_spread() const { return time > Seconds() ? time_half.value / time.value : 0; }
  // Nothing where the predictor knows no times.
  std::optional<Watts> power() const {
    if (!(time > Seconds())) return std::nullopt;
    return energy / time;
  }
  // The energy of one of so many.
  Joules energy_per(double parts) const { return Joules(energy.value / parts); }

  PassEstimate& operator+=(const PassEstimate& other) {
    energy = energy + other.energy;
    time = time + other.time;
    energy_half = energy_half + other.energy_half;
    time_half = time_half + other.time_half;
    return *this;
  }
  PassEstimate operator*(double factor) const {
    return {energy * factor, time * factor, energy_half * factor, time_half * factor};
  }
};

inline PassEstimate estimate_of(const NodeEstimate& node) {
  const Joules energy = node.energy;
  const Seconds time = node.time;
  return {energy, time, energy * static_cast<double>(node.energy_spread),
          time * static_cast<double>(node.time_spread)};
}

}  // namespace wattree
