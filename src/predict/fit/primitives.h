// The kernels that a machine is calibrated with: of every kind some sizes, the most telling first.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

struct PrimitiveLimits {
  double flops = 2e12;  // Of one run: larger ones would take all the time there is.
  double bytes = 8e9;
};

// A model that is nothing but kernels side by side: matrix products with a weight and without,
// fused attention of passes and of decode steps, softmax, norms, means, element-wise work, casts,
// joins and other copies, and look-ups, in sizes that Transformers have. Costed, and with the
// dataflow that it takes to run them.
Result<ModelTree> primitive_tree(Precision precision, const PrimitiveLimits& limits);

// Which kernels tell most of a predictor's coefficients: a weight by node of the tree, higher for
// what should be measured sooner. Each next one is that whose price the ones before leave least
// certain (a D-optimal design, greedily), kinds taking turns by how much of a Transformer they are.
std::vector<double> information_of(const ModelTree& tree);

}  // namespace wattree
