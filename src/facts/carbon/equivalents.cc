#include "src/facts/carbon/equivalents.h"

#include <cassert>

#include "src/base/csv.h"

namespace wattree {

std::string_view bundled_equivalents_csv();  // Generated from data/equivalents.csv.

const std::vector<Equivalent>& bundled_equivalents() {
  static const std::vector<Equivalent> equivalents = [] {
    CsvReader csv(std::string(bundled_equivalents_csv()), "data/equivalents.csv");
    std::vector<Equivalent> out;
    while (csv.next()) {
      const auto& row = csv.row();
      assert(row.size() == 7 && "the bundled table has its columns");
      out.push_back({std::string(row[0]), std::string(row[1]), parse_number(row[2]),
                     parse_number(row[3]), parse_number(row[4]),
                     static_cast<int>(parse_number(row[5]).value_or(0)), std::string(row[6])});
    }
    return out;
  }();
  return equivalents;
}

double times(GramsCo2e emission, Joules energy, const Equivalent& equivalent) {
  if (equivalent.energy_kwh) return energy.value / kJoulesPerKwh / *equivalent.energy_kwh;
  if (equivalent.co2e_kg) return emission.value / (1e3 * *equivalent.co2e_kg);
  return emission.value / kGramsPerShortTon / equivalent.co2e_short_tons.value_or(1);
}

}  // namespace wattree
