// Where the measured energy of a model goes, module by module (IrEne's Tables 10 and 12).
#pragma once

#include <string>
#include <vector>

#include "src/measure/dataset/dataset.h"

namespace wattree {

struct TypeShare {
  std::string type;
  double percent = 0;  // Of the model's measured energy, both as means over its sizes.
};
struct ModelShares {
  std::string model;
  std::vector<TypeShare> shares;  // Largest first. What is missing to 100 is in none of them.
};

// By class: modules that have only leaves below them, and leaves that stand beside modules. Trees
// in which one of those, or the root, was not measured are passed over; models without another
// tree are absent.
std::vector<ModelShares> measured_shares(const std::vector<const DatasetTree*>& trees);

}  // namespace wattree
