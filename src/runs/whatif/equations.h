// EnergyVis's three equations (Shaikh et al. 2021, section 2.1.3) with the values of an epoch:
//
//   emissions = energy × intensity;  energy = power × duration;  power = (chipset + GPUs) × PUE
#pragma once

#include <optional>
#include <vector>

#include "src/runs/whatif/curve.h"

namespace wattree {

struct EpochEquation {
  std::size_t epoch = 1;   // From 1; 0: what was outside the epochs.
  bool is_so_far = false;  // The epoch has not ended.
  Joules energy;           // With PUE, where there is one; not cumulative.
  std::optional<GramsCo2e> emissions;
  std::optional<CarbonIntensity> intensity;  // The mean over the epoch where it changes with time.
  std::optional<Seconds> duration;
  // Of the devices, without PUE: what idling would have taken, where every component says so, and
  // what nobody measured.
  Joules device_energy, assumed;
  std::optional<Joules> idle;
  // Means over the epoch; absent where it does not say how long it took. Power is with PUE, its
  // parts are without. The chipset is the CPUs and the memory; a machine whose parts nobody knows
  // is undivided.
  std::optional<Watts> power, chipset, gpus, undivided;
};

// Of every epoch that has figures, and first of what was outside of them.
Result<std::vector<EpochEquation>> equations_of(const Profile& profile, const Setting& setting);

}  // namespace wattree
