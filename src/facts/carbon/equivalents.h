// Emissions and energy beside things people know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/units.h"

namespace wattree {

// One row of data/equivalents.csv: what one of it emits or, of electricity, takes.
struct Equivalent {
  std::string item;
  std::string unit;                       // "km"; empty: the item itself is counted.
  std::optional<double> co2e_short_tons;  // US short tons of 2000 lb, where published so;
  std::optional<double> co2e_kg;          // kilograms where published so;
  std::optional<double> energy_kwh;       // or energy.
  int year = 0;
  std::string source;
};
const std::vector<Equivalent>& bundled_equivalents();

// How many of the thing an emission, or the energy behind it, is.
double times(GramsCo2e emission, Joules energy, const Equivalent& equivalent);

}  // namespace wattree
