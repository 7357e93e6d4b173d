// Predicts a model tree that was built from a config: nothing of it has been run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/models/tree/execution.h"
#include "src/models/tree/model_tree.h"
#include "src/predict/predictor/predictor.h"
#include "src/predict/predictor/tree_work.h"

namespace wattree {

struct NodeEstimate {
  double energy_j = 0;
  double own_j = 0;  // Energy less the children's; a leaf's is its energy.
  double time_s = 0;
  // Half of the 90 % interval, relative to the figure.
  float energy_spread = 0;
  float time_spread = 0;
  bool is_looked_up = false;  // From a twin that was measured.
  float stand_in = 0;         // Share of the energy that other kinds or sizes stand in for.

  double energy_low_j() const { return energy_j * (1 - static_cast<double>(energy_spread)); }
  double energy_high_j() const { return energy_j * (1 + static_cast<double>(energy_spread)); }
  double time_low_s() const { return time_s * (1 - static_cast<double>(time_spread)); }
  double time_high_s() const { return time_s * (1 + static_cast<double>(time_spread)); }
};

// One estimate per node, in the tree's order. Children plus own are the node. Linear in nodes.
// Fails where the predictor has no coefficients that could price a kernel of the tree, or does not
// know the way of launching.
Result<std::vector<NodeEstimate>> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                               const ModelTree& tree,
                                               Execution execution = Execution::kGraph);

}  // namespace wattree
