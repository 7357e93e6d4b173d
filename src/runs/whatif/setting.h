// Where and in what building a run is taken to be.
#pragma once

#include <string>

#include "src/base/amounts.h"
#include "src/runs/whatif/curve.h"

namespace wattree {

// What a user says about it; empty means nothing.
struct SettingQuery {
  std::string region;
  std::string intensity;      // "325.4g/kWh"
  std::string series;         // The text of a CSV file of intensities over time,
  std::string series_origin;  // and its name.
  std::string pue;            // "1.59" or "average"
  std::optional<double> usd_per_kwh;
};

// Only what the query says.
Result<Setting> setting_of(const SettingQuery& query);
// What the query says, and the profile's own for the rest.
Result<Setting> setting_for(const Profile& profile, const SettingQuery& query);

// For commands that cannot do without emissions: the error where there is no grid.
Error no_grid_error(const Profile& profile);

// What an energy costs; absent where no price is given.
std::optional<double> cost_usd(Joules energy, const Setting& setting);
// "0.3 USD/kWh, by the user"
std::string price_text(const Setting& setting);

// "Georgia (US-GA), 325.4 g/kWh": what the emissions are computed with.
std::string to_text(const Grid& grid, MassUnit unit = MassUnit::kAuto);

// A warning where two figures come from sources that cover different things.
std::optional<std::string> source_note(const Setting& a, const Setting& b);

}  // namespace wattree
