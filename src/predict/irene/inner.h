// The regressor of inner nodes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/irene/leaves.h"
#include "src/predict/irene/tree_rows.h"

namespace wattree {

// w.phi + b for every distinct row of a tree.
std::vector<double> inner_scores(const InnerRegressor& inner, const TreeRows& rows);

// Learns it, given the regressors of leaves. Appends to `warnings` what it could not learn from.
Result<InnerRegressor> fit_inner(std::span<const DatasetTree* const> trees,
                                 const LeafRegressors& leaves, const IreneOptions& options,
                                 std::vector<std::string>& warnings);

}  // namespace wattree
