// Which models of a dataset take part.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/dataset/dataset.h"

namespace wattree {

struct ModelChoice {
  std::vector<std::string> include;  // Only these; empty means all.
  std::vector<std::string> exclude;
  // Also the model that IrEne's published data has beside the six of the paper, and that the
  // paper's figures leave out (sshleifer/tiny-ctrl).
  bool takes_all = false;
  bool skips_bad = false;  // Pass over lines of the file that are bad.
};

struct ChosenTrees {
  std::vector<const DatasetTree*> trees;  // They point into what was chosen from.
  std::vector<std::string> models;        // In the order of their first trees,
  std::vector<std::string> left_out;      // and those that are not in it.
};

// Fails on a name that the dataset does not have, where nothing is left, and on trees that were
// measured by different protocols: what they say of one kernel differs.
Result<ChosenTrees> choose_models(const std::vector<DatasetTree>& trees, const ModelChoice& choice);

}  // namespace wattree
