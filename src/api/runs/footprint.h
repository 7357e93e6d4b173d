// Footprints of runs as JSON.
#pragma once

#include <string>
#include <vector>

#include "src/runs/whatif/footprint.h"

namespace wattree {

class JsonWriter;

// The contract of docs/schemas/footprint.schema.json, with equivalents of the emissions.
std::string to_json(const Footprint& footprint);

// Runs beside each other, each as it was recorded: nothing is scaled. Differences are against the
// first one. The contract of docs/schemas/compare_profiles.schema.json.
std::string to_json(const std::vector<Footprint>& footprints);

// The fields that every footprint has, of an object.
void write_footprint(JsonWriter& out, const Footprint& footprint);

// The fields "region", "gco2e_per_kwh", "intensity_basis", "pue" and "price_usd_per_kwh" of an
// object.
void write_setting(JsonWriter& out, const Setting& setting);

// {"points": […], "basis": {…}, "notes": […]}
void write_curve(JsonWriter& out, const Curve& curve);

}  // namespace wattree
