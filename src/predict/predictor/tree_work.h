// The work of a model tree's kernels.
#pragma once

#include "src/models/tree/model_tree.h"
#include "src/predict/predictor/work.h"

namespace wattree {

// The kernel of a leaf. The tree must have its costs.
Work work_of(const ModelTree& tree, const Node& leaf);

// The weights that the pass multiplies by, each once; counting may end above `enough`. Where a
// cache holds them all, one pass after the other finds them there.
double weight_mib(const ModelTree& tree, double enough);

}  // namespace wattree
