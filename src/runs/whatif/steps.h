// Where the difference between a run and its alternative comes from, facet by facet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/whatif/whatif.h"

namespace wattree {

// In the order in which they are applied.
enum class Facet { kProfile, kRegion, kHardware, kPue };
std::string_view name_of(Facet facet);

// What one facet changes, those before it applied already. `before` is the one before's `after`, so
// that all steps together are the whole difference, to the bit.
struct WhatIfStep {
  Facet facet = Facet::kRegion;
  std::string from, to;  // "Georgia (US-GA), 325.4 g/kWh"
  std::string name;      // Of what is new: "Georgia", "4 × T4", "PUE 1.2", a profile's.
  Joules energy_before, energy_after;  // With PUE, where there is one.
  std::optional<GramsCo2e> emissions_before, emissions_after;
};

// The baseline as it is, and what is laid over it. `other`: another profile takes its place, as it
// was recorded, before anything else changes.
struct Difference {
  const Profile& baseline;
  const Setting& setting;
  const Profile* other = nullptr;
  const Setting* other_setting = nullptr;
  const Overlay& overlay;
};
// Only facets that change something are steps.
Result<std::vector<WhatIfStep>> steps_of(const Difference& difference,
                                         std::span<const Device> devices);

}  // namespace wattree
