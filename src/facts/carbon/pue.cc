#include "src/facts/carbon/pue.h"

#include <cassert>
#include <cstdio>

#include "src/base/csv.h"

namespace wattree {

std::string_view bundled_pue_csv();  // Generated from data/pue.csv.

Result<Pue> make_pue(double value, Basis basis, std::string by) {
  if (!(value >= 1.0 && value <= 10.0)) {
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.6g", value);
    return Error{ErrorCode::kInvalidInput, std::string("a PUE of ") + shown + " is not possible",
                 "PUE is the facility's power over its computers': 1 at best, 1.6 on average"};
  }
  return Pue{value, basis, std::move(by)};
}

Result<Pue> parse_pue(std::string_view text) {
  if (text == "average") {
    const PueSurvey& newest = bundled_pue_surveys().back();
    return make_pue(newest.pue, Basis::kAssumed, "average of the " + newest.source);
  }
  const std::optional<double> number = parse_number(text);
  if (!number) {
    return Error{ErrorCode::kInvalidInput, "\"" + std::string(text) + "\" is not a PUE",
                 "give a number of 1 or more, or \"average\""};
  }
  return make_pue(*number, Basis::kAssumed, "given");
}

const std::vector<PueSurvey>& bundled_pue_surveys() {
  static const std::vector<PueSurvey> surveys = [] {
    CsvReader csv(std::string(bundled_pue_csv()), "data/pue.csv");
    std::vector<PueSurvey> out;
    while (csv.next()) {
      assert(csv.row().size() == 3 && "the bundled table has its columns");
      out.push_back({static_cast<int>(parse_number(csv.row()[0]).value_or(0)),
                     parse_number(csv.row()[1]).value_or(1), std::string(csv.row()[2])});
    }
    return out;
  }();
  return surveys;
}

Provenance facility_provenance(const Provenance& energy, const Pue& pue) {
  Provenance out = of_sum(energy, {pue.basis, "", Boundary::kFacility});
  out.by = energy.by + " × PUE (" + pue.by + ")";
  return out;
}

}  // namespace wattree
