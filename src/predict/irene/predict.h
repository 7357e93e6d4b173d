// Applies an IrEne model to a tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/units.h"
#include "src/predict/irene/model.h"

namespace wattree {

struct IrenePrediction {
  // By node, in the order of the tree. Absent for a leaf of a type never learnt or with incomplete
  // features, and for every node whose energy would need an absent one.
  std::vector<std::optional<Joules>> energies;
  std::vector<std::string> warnings;  // Why some are absent or odd; one line for each cause.
};

// Least squares may give a leaf less than nothing far from what it was fitted on. That is kept, as
// published, and said in a warning.
IrenePrediction predict_irene(const IreneModel& model, const DatasetTree& tree);

}  // namespace wattree
