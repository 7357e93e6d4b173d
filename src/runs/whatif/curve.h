// A run's energy and emissions, adding up epoch by epoch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/facts/carbon/grid.h"
#include "src/facts/carbon/pue.h"
#include "src/runs/profile/profile.h"

namespace wattree {

// What the energy of the devices is multiplied with. Absent: the figures stay with the devices, or
// there are no emissions.
struct Setting {
  std::optional<Pue> pue;
  std::optional<Grid> grid;
  std::optional<double> usd_per_kwh;  // Of electricity, as somebody assumes it.
};

template <class Quantity>
struct Estimate {
  Quantity value;
  std::optional<Quantity> low, high;  // 95 %; absent for what is recorded.
};

struct CurvePoint {
  std::size_t epoch = 1;  // From 1; 0 before the first.
  bool is_extrapolated = false;
  bool is_so_far = false;          // Of a run that goes on: its epoch has not ended.
  std::optional<Seconds> elapsed;  // Absent where an epoch does not say how long it took.
  Estimate<Joules> device_energy;
  Estimate<Joules> energy;  // With PUE, where there is one.
  std::optional<Estimate<GramsCo2e>> emissions;
};

struct Curve {
  // Where the points begin: what the run took outside its epochs. Nobody knows how it would change
  // with their number, so it counts once. Absent where there is nothing.
  std::optional<CurvePoint> outside;
  std::vector<CurvePoint> points;  // Never empty. The last one is the total.
  Provenance device_basis;
  Provenance energy_basis;
  std::optional<Provenance> emissions_basis;
  std::vector<std::string> notes;  // What a reader has to know about the figures.
};

// `epochs`: extrapolated to so many, or cut off after so many. An error where the profile has no
// energy at all, or where a grid that changes with time does not cover the run.
Result<Curve> curve_of(const Profile& profile, const Setting& setting,
                       std::optional<std::size_t> epochs = std::nullopt);

}  // namespace wattree
