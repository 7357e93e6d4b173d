// What an evaluation is made on: trees, and the same trees as the predictor sees them.
#pragma once

#include <vector>

#include "src/predict/predictor/dataset_work.h"

namespace wattree {

struct EvaluationData {
  explicit EvaluationData(std::vector<const DatasetTree*> chosen)
      : trees(std::move(chosen)), work(work_of(trees)) {}
  std::vector<const DatasetTree*> trees;
  WorkTrees work;  // Tree by tree and node by node as `trees`.
};

}  // namespace wattree
