// What an emission is as much as, in amounts that people can picture.
#pragma once

#include <string>
#include <vector>

#include "src/facts/carbon/equivalents.h"

namespace wattree {

struct ShownEquivalent {
  std::string amount;  // "2.4 km", "310 ml" or "3.2 ×"
  const Equivalent* equivalent;

  std::string source() const;  // With its year.
};

// Those that an emission is at least a hundredth of; what is counted in a unit is always among
// them, in a smaller unit where there is little of it. The most familiar come first.
std::vector<ShownEquivalent> shown_equivalents(GramsCo2e emission, Joules energy);

// "0.4 km of driving an average US passenger car"
std::string to_text(const ShownEquivalent& shown);

}  // namespace wattree
