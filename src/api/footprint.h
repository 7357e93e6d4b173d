// Footprints of runs as JSON.
#pragma once

#include <string>
#include <vector>

#include "src/runs/whatif/footprint.h"

namespace wattree {

class JsonWriter;

// The contract of docs/schemas/footprint.schema.json, with equivalents of the emissions.
std::string to_json(const Footprint& footprint);

// The contract of docs/schemas/whatif.schema.json.
std::string to_json(const WhatIfAnswer& answer);

// Runs beside each other, each as it was recorded: nothing is scaled. Differences are against the
// first one. The contract of docs/schemas/compare_profiles.schema.json.
std::string to_json(const std::vector<Footprint>& footprints);

// The fields "region", "gco2e_per_kwh", "intensity_basis" and "pue" of an object.
void write_setting(JsonWriter& out, const Setting& setting);

// {"points": […], "basis": {…}, "notes": […]}
void write_curve(JsonWriter& out, const Curve& curve);

}  // namespace wattree
