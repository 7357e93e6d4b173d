#include "src/api/setting.h"

#include "src/api/amounts.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_source(JsonWriter& out, std::string_view name, Basis basis, const std::string& by) {
  out.key(name);
  out.begin_object();
  out.field("kind", name_of(basis));
  out.field("by", by);
  out.end_object();
}

template <class Quantity>
void write_estimate(JsonWriter& out, const std::string& name, const std::string& unit,
                    const Estimate<Quantity>& estimate) {
  out.field(name + unit, estimate.value.value);
  if (estimate.low) out.field(name + "_low" + unit, estimate.low->value);
  if (estimate.high) out.field(name + "_high" + unit, estimate.high->value);
}

}  // namespace

Result<Setting> setting_of(const SettingQuery& query) {
  Setting out;
  const int grids = (query.region.empty() ? 0 : 1) + (query.intensity.empty() ? 0 : 1) +
                    (query.series_origin.empty() ? 0 : 1);
  if (grids > 1) {
    return Error{ErrorCode::kInvalidInput,
                 "a region, an intensity and an intensity file exclude each other", ""};
  }
  if (!query.region.empty()) {
    const Result<Region> region = find_region(query.region);
    if (!region.ok()) return region.error();
    out.grid = grid_of(region.value());
  } else if (!query.intensity.empty()) {
    Result<Grid> grid = parse_grid(query.intensity);
    if (!grid.ok()) return grid.error();
    out.grid = std::move(grid).value();
  } else if (!query.series_origin.empty()) {
    Result<IntensitySeries> series = IntensitySeries::read(query.series, query.series_origin);
    if (!series.ok()) return series.error();
    out.grid = Grid{"", std::move(series).value(), Basis::kAssumed, query.series_origin};
  }
  if (!query.pue.empty()) {
    Result<Pue> pue = parse_pue(query.pue);
    if (!pue.ok()) return pue.error();
    out.pue = std::move(pue).value();
  }
  return out;
}

Result<Setting> setting_for(const Profile& profile, const SettingQuery& query) {
  Result<Setting> given = setting_of(query);
  if (!given.ok()) return given;
  Setting out = std::move(given).value();
  if (!out.pue) out.pue = profile.pue;
  if (out.grid) return out;
  if (profile.intensity) {
    out.grid = Grid{profile.region, profile.intensity->intensity, profile.intensity->basis,
                    profile.intensity->by};
  } else if (!profile.region.empty()) {
    const Result<Region> region = find_region(profile.region);
    if (!region.ok()) {
      Error error = region.error();
      error.message = "the profile's " + error.message;
      return error;
    }
    out.grid = grid_of(region.value());
  }
  return out;
}

Error no_grid_error(const Profile& profile) {
  Error error{ErrorCode::kInvalidInput,
              "the profile \"" + profile.name + "\" does not say in which region it ran",
              "name it with --region; `wattree regions` lists them"};
  if (!profile.location.empty()) {
    error.message = "the profile's location \"" + profile.location + "\" is no region we know";
    const Result<Region> region = find_region(profile.location);
    if (!region.ok()) error.hint = region.error().hint + " Name it with --region";
  }
  return error;
}

std::string to_text(const Grid& grid, MassUnit unit) {
  const auto* constant = std::get_if<CarbonIntensity>(&grid.intensity);
  std::string figure = constant != nullptr ? to_text(*constant, unit) : "an intensity over time";
  if (grid.region.empty()) return figure;
  const Result<Region> region = find_region(grid.region);
  const std::string name =
      region.ok() ? region.value().name + " (" + grid.region + ")" : grid.region;
  return name + ", " + figure;
}

std::optional<std::string> source_note(const Setting& a, const Setting& b) {
  if (!a.grid || !b.grid || a.grid->region.empty() || b.grid->region.empty()) return std::nullopt;
  const Result<Region> first = find_region(a.grid->region);
  const Result<Region> second = find_region(b.grid->region);
  if (!first.ok() || !second.ok() || first.value().source == second.value().source) {
    return std::nullopt;
  }
  return "the intensities come from sources that cover different things: " + first.value().code +
         " is " + source_of(first.value()).covers + "; " + second.value().code + " is " +
         source_of(second.value()).covers;
}

void write_setting(JsonWriter& out, const Setting& setting) {
  if (setting.grid) {
    if (!setting.grid->region.empty()) out.field("region", setting.grid->region);
    // A series has no single figure: the field is absent.
    if (const auto* constant = std::get_if<CarbonIntensity>(&setting.grid->intensity)) {
      out.field("gco2e_per_kwh", constant->value);
    }
    write_source(out, "intensity_basis", setting.grid->basis, setting.grid->by);
  }
  if (setting.pue) {
    out.field("pue", setting.pue->value);
    write_source(out, "pue_basis", setting.pue->basis, setting.pue->by);
  }
}

void write_curve(JsonWriter& out, const Curve& curve) {
  out.begin_object();
  out.key("points");
  out.begin_array();
  for (const CurvePoint& point : curve.points) {
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(point.epoch));
    out.field("extrapolated", point.is_extrapolated);
    if (point.elapsed) out.field("elapsed_s", point.elapsed->value);
    write_estimate(out, "device_energy", "_j", point.device_energy);
    write_estimate(out, "energy", "_j", point.energy);
    if (point.emissions) write_estimate(out, "carbon", "_gco2e", *point.emissions);
    out.end_object();
  }
  out.end_array();
  out.key("basis");
  out.begin_object();
  out.key("device_energy");
  write_json(out, curve.device_basis);
  out.key("energy");
  write_json(out, curve.energy_basis);
  if (curve.emissions_basis) {
    out.key("carbon");
    write_json(out, *curve.emissions_basis);
  }
  out.end_object();
  out.field("notes", curve.notes);
  out.end_object();
}

}  // namespace wattree
