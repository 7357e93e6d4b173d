// The same run elsewhere: another grid, other hardware, another building, more epochs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/runs/whatif/curve.h"
#include "src/runs/whatif/hardware_change.h"

namespace wattree {

struct OnHardware {
  Profile profile;
  std::vector<HardwareChange> changes;
  std::vector<std::string> notes;
};

// Another fleet, and how its figures are to be found.
struct Move {
  Fleet fleet;
  Keep keep = Keep::kWork;
  RatioRule rule = {};
};

// Which end of the ratios' intervals is taken.
enum class RatioEnd { kMiddle, kLow, kHigh };

// The profile as it would be elsewhere: the fleet's accelerators take the place of the profile's,
// its CPUs of the CPUs; a kind that it does not name stays. Energy of memory, and of a kind that
// stays, is as recorded. An undivided machine's energy changes as if its accelerators drew it all.
// Durations are the middle ones at every bound.
Result<OnHardware> on_hardware(const Profile& profile, const Move& move,
                               std::span<const Device> devices, RatioEnd bound = RatioEnd::kMiddle);

// Laid over a baseline that never changes; what is absent is as in the baseline.
struct Overlay {
  std::optional<Grid> grid;
  std::optional<Pue> pue;
  Move hardware;                      // An empty fleet: none.
  std::optional<std::size_t> epochs;  // Of both curves.
};

struct WhatIf {
  Curve baseline;
  Curve alternative;
  Profile profile;  // The alternative's, and where it is.
  Setting setting;
  std::vector<HardwareChange> changes;
};

Result<WhatIf> what_if(const Profile& profile, const Setting& setting, const Overlay& overlay,
                       std::span<const Device> devices);

}  // namespace wattree
