// Power usage effectiveness: what a data centre draws for each unit its computers draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/result.h"

namespace wattree {

struct Pue {
  double value = 1.0;
  Basis basis = Basis::kAssumed;
  std::string by;
  bool operator==(const Pue&) const = default;
};

// Refuses what no building can have (below 1) and what is surely a slip (above 10).
Result<Pue> make_pue(double value, Basis basis, std::string by);

// A number, or "average": the newest survey's.
Result<Pue> parse_pue(std::string_view text);

// The industry's averages, oldest first.
struct PueSurvey {
  int year = 0;
  double pue = 1.0;
  std::string source;
};
const std::vector<PueSurvey>& bundled_pue_surveys();

// Of an energy times PUE: the boundary is the facility, the basis the weaker one's.
Provenance facility_provenance(const Provenance& energy, const Pue& pue);

}  // namespace wattree
