#include "src/runs/whatif/setting.h"

#include "src/base/amounts.h"
#include "src/base/error_field.h"

namespace wattree {
namespace {
constexpr double kMostUsdPerKwh = 1e6;
}  // namespace

Result<Setting> setting_of(const SettingQuery& query) {
  Setting out;
  const int grids = (query.region.empty() ? 0 : 1) + (query.intensity.empty() ? 0 : 1) +
                    (query.series_origin.empty() ? 0 : 1);
  if (grids > 1) {
    return Error{ErrorCode::kInvalidInput,
                 "a region, an intensity and an intensity file exclude each other", "", "region"};
  }
  if (!query.region.empty()) {
    const Result<Region> region = find_region(query.region);
    if (!region.ok()) return of_field("region", region.error());
    out.grid = grid_of(region.value());
  } else if (!query.intensity.empty()) {
    Result<Grid> grid = parse_grid(query.intensity);
    if (!grid.ok()) return of_field("intensity", grid.error());
    out.grid = std::move(grid).value();
  } else if (!query.series_origin.empty()) {
    Result<IntensitySeries> series = IntensitySeries::read(query.series, query.series_origin);
    if (!series.ok()) return of_field("intensity_file", series.error());
    out.grid = Grid{"", std::move(series).value(), Basis::kAssumed, query.series_origin};
  }
  if (!query.pue.empty()) {
    Result<Pue> pue = parse_pue(query.pue);
    if (!pue.ok()) return of_field("pue", pue.error());
    out.pue = std::move(pue).value();
  }
  if (query.usd_per_kwh && !(*query.usd_per_kwh >= 0 && *query.usd_per_kwh <= kMostUsdPerKwh)) {
    return Error{ErrorCode::kInvalidInput, "<price> must be from 0 to 1e6 USD per kWh", "",
                 "price"};
  }
  out.usd_per_kwh = query.usd_per_kwh;
  return out;
}

std::optional<double> cost_usd(Joules energy, const Setting& setting) {
  if (!setting.usd_per_kwh) return std::nullopt;
  return energy.value / kJoulesPerKwh * *setting.usd_per_kwh;
}

std::string price_text(const Setting& setting) {
  return four_digits(setting.usd_per_kwh.value_or(0)) + " USD/kWh, by the user";
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
              "name it with <region>; `wattree regions` lists them", "region"};
  if (!profile.location.empty()) {
    error.message = "the profile's location \"" + profile.location + "\" is no region we know";
    const Result<Region> region = find_region(profile.location);
    if (!region.ok()) error.hint = region.error().hint + " Name it with <region>";
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

}  // namespace wattree
