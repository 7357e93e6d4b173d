// Where a number comes from and what it covers. Every number shown has one of these.
#pragma once

#include <string>
#include <string_view>

namespace wattree {

// From the strongest to the weakest: a sum is as good as its weakest part.
enum class Basis {
  kMeasured,   // By a counter or a meter.
  kPublished,  // By somebody else, who is named.
  kDerived,    // Computed from numbers that are not all of one basis, by a rule that is named.
  kPredicted,  // By a fitted predictor.
  kAssumed,    // A constant that somebody chose.
};

// What an energy covers; each includes the ones before it.
enum class Boundary {
  kGpu,       // The accelerators' boards.
  kHost,      // Processors, memory and accelerators, as far as they have counters.
  kWall,      // The machine at its plug.
  kFacility,  // With the data centre's share: the energy times PUE.
};

struct Provenance {
  Basis basis = Basis::kAssumed;
  std::string by;  // The counter, the predictor, the source: "NVML energy counter".
  Boundary boundary = Boundary::kHost;
  bool operator==(const Provenance&) const = default;
};

// The name in JSON: "measured", "facility".
std::string_view name_of(Basis basis);
std::string_view name_of(Boundary boundary);

}  // namespace wattree
