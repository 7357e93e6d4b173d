// What runs took and emitted: one of them, beside others, or elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/facts/carbon/equivalents.h"
#include "src/runs/profile/profile.h"
#include "src/runs/whatif/setting.h"
#include "src/runs/whatif/steps.h"
#include "src/runs/whatif/whatif.h"

namespace wattree {

// A run where it was, or where the query says.
struct Footprint {
  Profile profile;
  Setting setting;
  Curve curve;
};
Result<Footprint> footprint_of(Profile profile, const SettingQuery& query,
                               std::optional<std::size_t> epochs = std::nullopt);

// An energy by itself, as a run of one epoch: assumed, because somebody typed it in.
Profile profile_of_energy(Joules energy, const std::string& as_typed);

struct WhatIfQuery {
  SettingQuery baseline;  // Where the profile does not say, or not what is wanted.
  std::string baseline_hardware;
  SettingQuery alternative;
  std::string hardware;  // "4xT4,EPYC 7742"
  Keep keep = Keep::kWork;
  RatioRule rule = {};  // How other hardware is compared; its units is by default the profile's.
  std::optional<std::size_t> epochs;
  bool in_every_region = false;  // For a map.
};
// The alternative, were it in a region.
struct InRegion {
  Region region;
  GramsCo2e emissions;
  std::optional<double> excess;  // Over the baseline: 0.03 is 3 % more.
};
// Two runs of different numbers of epochs, at the smaller one.
struct AtEpoch {
  std::size_t epochs = 1;
  CurvePoint baseline, alternative;
};
struct WhatIfAnswer {
  Footprint baseline;
  Footprint alternative;  // Its profile is the baseline's on the other hardware.
  std::vector<HardwareChange> changes;
  Keep keep = Keep::kWork;
  std::vector<WhatIfStep> steps;  // From the baseline to the alternative.
  std::vector<InRegion> regions;  // The lowest first; empty where nobody asked.
  // Where the totals are of different numbers of epochs: what all differences are of.
  std::optional<AtEpoch> compared = {};
};
// Another run as the alternative: as it is, but for what the query changes.
struct OtherRun {
  Profile profile;
  bool is_where_baseline_is = false;  // It has no place of its own.
  // Half of an interval around its energy, relative to it; all epochs are off in the same way.
  double spread = 0;
  std::vector<std::string> notes = {};
};
Result<WhatIfAnswer> answer_what_if(const Profile& profile, const WhatIfQuery& query,
                                    std::span<const Device> devices,
                                    const OtherRun* other = nullptr);
// The number of epochs to compare curves at: the fewest that one of them has recorded. Absent where
// all have as many, and where one of them is a single figure for its whole run.
std::optional<std::size_t> epochs_of_all(const std::vector<const Profile*>& profiles);
// How much more one takes than the other: 0.03 is 3 % more. Absent where the other takes nothing.
std::optional<double> excess(Joules energy, Joules over);
// What a reader must know before believing a comparison: other boundaries, other bases.
// `shared_epochs`: all are cut off there.
std::vector<std::string> comparison_notes(const std::vector<Footprint>& footprints,
                                          std::optional<std::size_t> shared_epochs = std::nullopt);

}  // namespace wattree
