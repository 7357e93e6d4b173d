// Learns an IrEne model from measured trees.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/irene/model.h"

namespace wattree {

struct IreneFit {
  IreneModel model;
  std::vector<std::string> warnings;  // What of the data could not be used, and what the fit lacks.
};

// One thread; same input, same bits. Copies of a measurement count as often as they are there. The
// weights are learnt by Adam, one tree a step in the order given, for a loss of ((P - G) / G)²
// summed over the inner nodes.
//
// What is missing: an energy that is absent or not above zero is never learnt from. A leaf whose
// features are incomplete is left out of its regressor, and no node above it is learnt from. A
// child whose features are incomplete has weight 1. For kStepwise, the prediction of a child that
// was not measured stands in. Fails where nothing is left to learn from.
Result<IreneFit> fit_irene(std::span<const DatasetTree* const> trees, const IreneOptions& options);

}  // namespace wattree
