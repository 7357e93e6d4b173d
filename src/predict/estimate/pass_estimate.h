// An energy and a time with their 90 % intervals, as sums and means of predictions have them.
#pragma once

#include <algorithm>
#include <optional>

#include "src/base/units.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

struct PassEstimate {
  double energy_j = 0;
  double time_s = 0;
  // Half of each interval. Errors of one predictor go the same way, so that the halves of a sum add
  // up like its parts: an interval may be too wide for it, never too narrow.
  double energy_half_j = 0;
  double time_half_s = 0;

  double energy_low_j() const { return std::max(0.0, energy_j - energy_half_j); }
  double energy_high_j() const { return energy_j + energy_half_j; }
  double time_low_s() const { return std::max(0.0, time_s - time_half_s); }
  double time_high_s() const { return time_s + time_half_s; }
  // Half of the interval relative to the figure.
  double energy_spread() const { return energy_j > 0 ? energy_half_j / energy_j : 0; }
  double time_spread() const { return time_s > 0 ? time_half_s / time_s : 0; }
  // Nothing where the predictor knows no times.
  std::optional<Watts> power() const {
    if (!(time_s > 0)) return std::nullopt;
    return Joules(energy_j) / Seconds(time_s);
  }

  PassEstimate& operator+=(const PassEstimate& other) {
    energy_j += other.energy_j;
    time_s += other.time_s;
    energy_half_j += other.energy_half_j;
    time_half_s += other.time_half_s;
    return *this;
  }
  PassEstimate operator*(double factor) const {
    return {energy_j * factor, time_s * factor, energy_half_j * factor, time_half_s * factor};
  }
};

inline PassEstimate estimate_of(const NodeEstimate& node) {
  return {node.energy_j, node.time_s, node.energy_j * static_cast<double>(node.energy_spread),
          node.time_s * static_cast<double>(node.time_spread)};
}

}  // namespace wattree
