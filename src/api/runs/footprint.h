// Footprints of runs as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/runs/whatif/excess.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

class JsonWriter;

// The contract of docs/schemas/footprint.schema.json, with equivalents of the emissions.
std::string to_json(const Footprint& footprint);

// Runs beside each other, each as it was recorded: nothing is scaled. Differences are against the
// first one. The contract of docs/schemas/compare_profiles.schema.json. `shared_epochs`: they were
// cut off there, because their numbers differ.
std::string to_json(const std::vector<Footprint>& footprints,
                    std::optional<std::size_t> shared_epochs = std::nullopt);

// The fields that every footprint has, of an object; at most so many points of its curve.
void write_footprint(JsonWriter& out, const Footprint& footprint,
                     std::optional<std::size_t> points = std::nullopt);
// The field "equivalents"; none where there are no emissions.
void write_equivalents(JsonWriter& out, const Footprint& footprint);
// All of a flag but its epoch: fields of an open object.
void write_flag(JsonWriter& out, const FlaggedEpoch& flag);

// The fields "region", "gco2e_per_kwh", "intensity_basis", "pue" and "price_usd_per_kwh" of an
// object.
void write_setting(JsonWriter& out, const Setting& setting);

// The fields "elapsed_s", "device_energy_j" and so on of an object.
void write_amounts(JsonWriter& out, const CurvePoint& point);

// {"points": […], "basis": {…}, "notes": […]}
void write_curve(JsonWriter& out, const Curve& curve,
                 std::optional<std::size_t> points = std::nullopt);

}  // namespace wattree
