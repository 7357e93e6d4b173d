// How much more or less energy one prediction has than another, and how well that is known.
#pragma once

#include <cstdint>
#include <map>

#include "src/models/tree/distinct.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

// One energy over another, with its 90 % interval.
struct EnergyRatio {
  double value = 1;
  double low = 1;
  double high = 1;
  // Whether the whole interval lies below 1.
  bool is_surely_less() const { return high < 1; }
};

// Some of a prediction's energy, and the distinct kernels that it goes into.
struct EnergyPart {
  PassEstimate estimate;
  std::map<std::uint64_t, double> kernels;  // Joules, by WorkHashes.

  // Takes in the energy that a node has besides its children's.
  void add_own(const Prediction& prediction, const WorkHashes& hashes, std::size_t node);
  // The same per item, for instance.
  EnergyPart operator*(double factor) const;
};
EnergyPart whole_of(const Prediction& prediction);

// What both parts run is wrong by the same in both, so that the ratio of parts that are alike is
// known well; `shares_predictor` says whether it is one predictor that is wrong. `first` must have
// energy.
EnergyRatio ratio_of(const EnergyPart& first, const EnergyPart& other, bool shares_predictor);
bool share_predictor(const Prediction& a, const Prediction& b);

}  // namespace wattree
