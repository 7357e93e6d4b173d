// The regressors of leaves: one for each kind of operation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/irene/model.h"

namespace wattree {

// A measured energy that can be learnt from: the relative loss needs one above zero.
inline bool is_usable(const std::optional<Joules>& energy) {
  return energy && energy->value > 0 && energy->value < HUGE_VAL;
}

using LeafRegressors = std::map<std::string, LeafRegressor, std::less<>>;

// Ordinary least squares in joules, unweighted, copies kept. Appends to `warnings` what it left
// out.
Result<LeafRegressors> fit_leaves(std::span<const DatasetTree* const> trees, IreneFeatures features,
                                  std::vector<std::string>& warnings);

// Joules of a leaf with these features, as they are (not standardised).
double predict_leaf(const LeafRegressor& leaf, std::span<const double> row);

}  // namespace wattree
