// Emissions beside things people know.
#pragma once

#include <string>
#include <vector>

#include "src/base/units.h"

namespace wattree {

// One row of data/equivalents.csv.
struct Equivalent {
  std::string item;
  double co2e_short_tons = 0;  // US short tons of 2000 lb, as published.
  std::string source;
};
const std::vector<Equivalent>& bundled_equivalents();

// How many of the thing an emission is.
double times(GramsCo2e emission, const Equivalent& equivalent);

}  // namespace wattree
