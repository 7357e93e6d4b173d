// A measured tree made ready to learn from.
#pragma once

#include <cstdint>
#include <vector>

#include "src/predict/irene/leaves.h"
#include "src/predict/irene/tree_rows.h"

namespace wattree {

// All that does not depend on the weights to be learnt.
struct Lesson {
  TreeRows rows;                     // Standardised.
  std::vector<std::int32_t> parent;  // By node, as are the next two.
  // What a node passes to its parent's sum whatever the weights: the prediction of a leaf, and for
  // kStepwise what was measured. NaN where there is neither: such a node passes its own sum.
  std::vector<double> given;
  std::vector<double> target;  // Measured energy of nodes that are learnt from; 0 for the others.
};

// Inner nodes, by what they are good for.
struct LessonCounts {
  std::int64_t inner = 0;
  std::int64_t unmeasured = 0;
  std::int64_t not_positive = 0;
  std::int64_t blocked = 0;  // Measured, but what they are computed from is not known.
  std::int64_t learnt = 0;
  std::int64_t unweighted = 0;  // Children without features: not only inner nodes.
};

// `rows` are the tree's, as measured. Adds to `counts`.
Lesson prepare_lesson(const DatasetTree& tree, TreeRows rows, const LeafRegressors& leaves,
                      const StandardScaler& scaler, IreneAggregate aggregate, LessonCounts& counts);

}  // namespace wattree
