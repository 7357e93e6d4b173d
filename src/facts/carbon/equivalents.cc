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
      assert(csv.row().size() == 3 && "the bundled table has its columns");
      out.push_back({std::string(csv.row()[0]), parse_number(csv.row()[1]).value_or(0),
                     std::string(csv.row()[2])});
    }
    return out;
  }();
  return equivalents;
}

double times(GramsCo2e emission, const Equivalent& equivalent) {
  return emission.value / kGramsPerShortTon / equivalent.co2e_short_tons;
}

}  // namespace wattree
