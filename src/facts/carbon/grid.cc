#include "src/facts/carbon/grid.h"

#include <algorithm>

#include "src/base/csv.h"

namespace wattree {

Result<IntensitySeries> IntensitySeries::read(std::string text, const std::string& origin) {
  CsvReader csv(std::move(text), origin);
  const auto columns = csv.columns({"time", "gco2e_per_kwh"});
  if (!columns.ok()) return columns.error();
  IntensitySeries series;
  series.origin_ = origin;
  while (csv.next()) {
    const std::string_view time_field = csv.row()[columns.value()[0]];
    const std::string_view figure_field = csv.row()[columns.value()[1]];
    const std::optional<UtcTime> time = parse_utc(time_field);
    const std::optional<double> figure = parse_number(figure_field);
    if (!time) {
      return csv.error("time must be like 2026-05-01T12:00:00Z, not \"" + std::string(time_field) +
                       "\"");
    }
    if (!figure || *figure < 0) {
      return csv.error("gco2e_per_kwh must be a number of 0 or more, not \"" +
                       std::string(figure_field) + "\"");
    }
    if (!series.times_.empty() && *time <= series.times_.back()) {
      return csv.error("time does not come after the row before");
    }
    series.times_.push_back(*time);
    series.figures_.push_back(*figure);
  }
  if (!csv.failure().ok()) return csv.failure().error();
  if (series.times_.size() < 2) {
    return Error{ErrorCode::kInvalidInput, origin + ": a series needs two rows at least",
                 "for a single figure use <intensity>"};
  }
  const auto last = series.times_.end() - 1;
  series.times_.push_back(*last + (*last - *(last - 1)));
  return series;
}

Result<CarbonIntensity> IntensitySeries::mean(UtcTime start, Seconds duration) const {
  using MicrosAsDouble = std::chrono::duration<double, std::micro>;
  const auto at = [&](UtcTime time) { return MicrosAsDouble(time - times_.front()).count() / 1e6; };
  const double begin = at(start);
  const double end = begin + duration.value;
  if (begin < 0 || end > at(times_.back())) {
    return Error{ErrorCode::kInvalidInput,
                 origin_ + " covers " + to_string(times_.front()) + " to " +
                     to_string(times_.back()) + ", but not the " +
                     std::to_string(static_cast<long long>(std::min(duration.value, 1e15))) +
                     " s from " + to_string(start),
                 "give a series for the whole run, or a <region>"};
  }
  // The figure that holds at the start, and then each one for as long as it overlaps.
  std::size_t i = static_cast<std::size_t>(
      std::upper_bound(times_.begin(), times_.end() - 1, start) - times_.begin() - 1);
  if (i == figures_.size() || end == begin) {
    return CarbonIntensity(figures_[std::min(i, figures_.size() - 1)]);
  }
  double sum = 0;
  for (; i < figures_.size() && at(times_[i]) < end; ++i) {
    sum += figures_[i] * (std::min(end, at(times_[i + 1])) - std::max(begin, at(times_[i])));
  }
  return CarbonIntensity(sum / (end - begin));
}

Grid grid_of(const Region& region) {
  const RegionSource& source = source_of(region);
  std::string by = region.name + " " + std::to_string(region.year) + ", " + source.title + " (" +
                   source.covers + ")";
  return {region.code, region.intensity, Basis::kPublished, std::move(by)};
}

Result<Grid> parse_grid(std::string_view text) {
  std::size_t digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::optional<double> number = parse_number(text.substr(0, digits));
  std::optional<double> grams;
  if (unit == "g/kWh") grams = 1;
  if (unit == "kg/kWh") grams = 1000;
  if (unit == "lb/kWh") grams = kGramsPerPound;
  if (!number || *number < 0 || *number > 1e6 || !grams) {
    return Error{ErrorCode::kInvalidInput,
                 "\"" + std::string(text) + "\" is not a carbon intensity",
                 "write it with its unit: 325.4g/kWh, 0.3254kg/kWh or 0.7175lb/kWh"};
  }
  return Grid{"", CarbonIntensity(*number * *grams), Basis::kAssumed,
              "given: " + std::string(text)};
}

Result<GramsCo2e> emissions(Joules energy, const Grid& grid, std::optional<UtcTime> start,
                            std::optional<Seconds> duration) {
  if (const auto* constant = std::get_if<CarbonIntensity>(&grid.intensity)) {
    return energy * *constant;
  }
  if (!start || !duration) {
    return Error{ErrorCode::kInvalidInput,
                 "an intensity that changes with time needs the start and duration of every epoch, "
                 "which this profile does not have",
                 "give a single <intensity> or a <region>"};
  }
  const Result<CarbonIntensity> mean =
      std::get<IntensitySeries>(grid.intensity).mean(*start, *duration);
  if (!mean.ok()) return mean.error();
  return energy * mean.value();
}

Provenance emissions_provenance(const Provenance& energy, const Grid& grid) {
  const Basis weakest = std::max(energy.basis, grid.basis);
  return {std::max(Basis::kDerived, weakest), energy.by + " × " + grid.by, energy.boundary};
}

}  // namespace wattree
