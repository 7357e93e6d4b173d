// The same run elsewhere: another grid, other hardware, another building, more epochs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/facts/hardware/fleet.h"
#include "src/runs/whatif/curve.h"

namespace wattree {

// What stays the same when hardware changes.
enum class Keep {
  kWork,   // The run does what it did: its duration changes, and its energy with the efficiency.
  kHours,  // The run lasts as long: it does more or less, and its energy changes with the power.
};

// One kind of hardware that took the place of another.
struct HardwareChange {
  Fleet from, to;
  double energy_per_work = 1;  // r = (p_a/s_a)/(p/s): energy for the same work.
  double time_per_work = 1;
  // What the energy of the replaced devices is multiplied with.
  double energy_factor(Keep keep) const {
    return keep == Keep::kWork ? energy_per_work : energy_per_work / time_per_work;
  }
};

struct OnHardware {
  Profile profile;
  std::vector<HardwareChange> changes;
  std::vector<std::string> notes;
};

// The profile as it would be on `fleet`: its accelerators take the place of the profile's, its CPUs
// of the CPUs; a kind that it does not name stays. Energy of memory, and of a kind that stays, is
// as recorded. An undivided machine's energy changes as if its accelerators drew it all. Peak
// figures of data sheets stand for real ones: the share of the peak that a run reaches is taken to
// be the same.
Result<OnHardware> on_hardware(const Profile& profile, const Fleet& fleet, Keep keep,
                               std::span<const Device> devices);

// Laid over a baseline that never changes; what is absent is as in the baseline.
struct Overlay {
  std::optional<Grid> grid;
  std::optional<Pue> pue;
  Fleet hardware;
  Keep keep = Keep::kWork;
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
