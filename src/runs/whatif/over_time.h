// A run's energy and emissions, adding up with time: for runs that have no epochs, or go on.
#pragma once

#include <optional>
#include <vector>

#include "src/runs/whatif/curve.h"

namespace wattree {

struct TimePoint {
  Seconds elapsed;                   // Since the run began.
  std::optional<std::size_t> epoch;  // It ended here.
  Joules device_energy;
  Joules energy;  // With PUE, where there is one.
  std::optional<GramsCo2e> emissions;
};

// From zero to the last recorded point of the curve, by the profile's samples where it has some.
// Empty where nobody knows how long the run took, and where it has epochs and no samples.
// Emissions follow the energy: under a grid that changes with time they are its mean.
std::vector<TimePoint> over_time(const Profile& profile, const Setting& setting,
                                 const Curve& curve);

}  // namespace wattree
