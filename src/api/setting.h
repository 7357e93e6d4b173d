// Where and in what building a run is taken to be.
#pragma once

#include <string>

#include "src/api/amounts.h"
#include "src/whatif/curve.h"

namespace wattree {

class JsonWriter;

// What a user says about it; empty means nothing.
struct SettingQuery {
  std::string region;
  std::string intensity;      // "325.4g/kWh"
  std::string series;         // The text of a CSV file of intensities over time,
  std::string series_origin;  // and its name.
  std::string pue;            // "1.59" or "average"
};

// Only what the query says.
Result<Setting> setting_of(const SettingQuery& query);
// What the query says, and the profile's own for the rest.
Result<Setting> setting_for(const Profile& profile, const SettingQuery& query);

// For commands that cannot do without emissions: the error where there is no grid.
Error no_grid_error(const Profile& profile);

// "Georgia (US-GA), 325.4 g/kWh": what the emissions are computed with.
std::string to_text(const Grid& grid, MassUnit unit = MassUnit::kAuto);

// A warning where two figures come from sources that cover different things.
std::optional<std::string> source_note(const Setting& a, const Setting& b);

// The fields "region", "gco2e_per_kwh", "intensity_basis" and "pue" of an object.
void write_setting(JsonWriter& out, const Setting& setting);
// {"points": […], "basis": {…}, "notes": […]}
void write_curve(JsonWriter& out, const Curve& curve);

}  // namespace wattree
