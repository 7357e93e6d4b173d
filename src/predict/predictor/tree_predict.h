// Predicts a model tree that was built from a config: nothing of it has been run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/base/units.h"
#include "src/models/tree/execution.h"
#include "src/models/tree/model_tree.h"
#include "src/predict/predictor/predictor.h"
#include "src/predict/predictor/tree_work.h"

namespace wattree {

struct NodeEstimate {
  Joules energy;
  Joules own;  // Energy less the children's; a leaf's is its energy.
  Seconds time;
  // Half of the 90 % interval, relative to the figure.
  float energy_spread = 0;
  float time_spread = 0;
  bool is_looked_up = false;  // From a twin that was measured.
  float stand_in = 0;         // Share of the energy that other kinds or sizes stand in for.

  void scale(const Capped& factors) {
    energy *= factors.energy;
    own *= factors.energy;
    time *= factors.time;
  }
  Joules energy_low() const { return energy * (1 - static_cast<double>(energy_spread)); }
  Joules energy_high() const { return energy * (1 + static_cast<double>(energy_spread)); }
  Seconds time_low() const { return time * (1 - static_cast<double>(time_spread)); }
  Seconds time_high() const { return time * (1 + static_cast<double>(time_spread)); }
};

// One estimate per node, in the tree's order. Children plus own are the node. Linear in nodes.
// Fails where the predictor has no coefficients that could price a kernel of the tree, or does not
// know the way of launching.
Result<std::vector<NodeEstimate>> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                               const ModelTree& tree,
                                               Execution execution = Execution::kGraph);

}  // namespace wattree
