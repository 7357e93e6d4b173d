#include "src/api/runs/footprint.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "src/base/json_writer.h"
#include "src/runs/whatif/thin.h"

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

// Of the epoch alone, which begins where the point before it is. Epochs without figures in between
// are counted with it.
void write_epoch_amounts(JsonWriter& out, const Curve& curve, std::size_t i) {
  const CurvePoint& point = curve.points[i];
  const CurvePoint* before = i > 0           ? &curve.points[i - 1]
                             : curve.outside ? &*curve.outside
                                             : nullptr;
  const Joules begin = before != nullptr ? before->energy.value : Joules();
  out.field("epoch_energy_j", (point.energy.value - begin).value);
  if (!point.emissions) return;
  const bool has_begin = before != nullptr && before->emissions;
  const GramsCo2e emitted = has_begin ? before->emissions->value : GramsCo2e();
  out.field("epoch_carbon_gco2e", (point.emissions->value - emitted).value);
}

// What is recorded and what is extrapolated are thinned by themselves, by what each epoch took: the
// last recorded point, where the extrapolation begins, stays.
std::vector<std::size_t> kept_points(const Curve& curve, std::optional<std::size_t> most) {
  const auto first = std::find_if(curve.points.begin(), curve.points.end(),
                                  [](const CurvePoint& point) { return point.is_extrapolated; });
  const auto recorded = static_cast<std::size_t>(first - curve.points.begin());
  const std::size_t all = curve.points.size();
  if (!most || all <= *most) {
    std::vector<std::size_t> out(all);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
  std::vector<double> took;
  double before = 0;
  for (const CurvePoint& point : curve.points) {
    took.push_back(point.energy.value.value - before);
    before = point.energy.value.value;
  }
  const std::size_t share = std::max<std::size_t>(*most * recorded / all, 4);
  std::vector<std::size_t> out = thinned(std::span(took).first(recorded), share);
  for (const std::size_t i :
       thinned(std::span(took).subspan(recorded), *most - std::min(share, *most))) {
    out.push_back(recorded + i);
  }
  return out;
}

}  // namespace

void write_amounts(JsonWriter& out, const CurvePoint& point) {
  if (point.elapsed) out.field("elapsed_s", point.elapsed->value);
  write_estimate(out, "device_energy", "_j", point.device_energy);
  write_estimate(out, "energy", "_j", point.energy);
  if (point.emissions) write_estimate(out, "carbon", "_gco2e", *point.emissions);
}

void write_footprint(JsonWriter& out, const Footprint& footprint,
                     std::optional<std::size_t> points) {
  const Profile& profile = footprint.profile;
  out.field("name", profile.name);
  out.field("hardware", hardware_text(profile));
  const std::size_t recorded = profile.so_far ? profile.so_far->ended : profile.epochs.size();
  out.field("recorded_epochs", static_cast<std::int64_t>(recorded));
  out.key("setting");
  out.begin_object();
  write_setting(out, footprint.setting);
  out.end_object();
  out.key("curve");
  write_curve(out, footprint.curve, points);
  if (const auto cost = cost_usd(footprint.curve.points.back().energy.value, footprint.setting)) {
    out.field("cost_usd", *cost);
  }
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
  if (setting.usd_per_kwh) {
    out.field("price_usd_per_kwh", *setting.usd_per_kwh);
    write_source(out, "price_basis", Basis::kAssumed, "by the user");
  }
}

void write_curve(JsonWriter& out, const Curve& curve, std::optional<std::size_t> points) {
  out.begin_object();
  if (curve.outside) {
    out.key("outside_epochs");
    out.begin_object();
    write_amounts(out, *curve.outside);
    out.end_object();
  }
  out.key("points");
  out.begin_array();
  for (const std::size_t i : kept_points(curve, points)) {
    const CurvePoint& point = curve.points[i];
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(point.epoch));
    out.field("extrapolated", point.is_extrapolated);
    if (point.is_so_far) out.field("so_far", true);
    write_amounts(out, point);
    write_epoch_amounts(out, curve, i);
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

void write_equivalents(JsonWriter& out, const Footprint& footprint) {
  const auto& emitted = footprint.curve.points.back().emissions;
  if (!emitted) return;
  const Joules energy = footprint.curve.points.back().energy.value;
  out.key("equivalents");
  out.begin_array();
  for (const Equivalent& equivalent : bundled_equivalents()) {
    out.begin_object();
    out.field("item", equivalent.item);
    if (!equivalent.unit.empty()) out.field("unit", equivalent.unit);
    out.field("times", times(emitted->value, energy, equivalent));
    if (const auto tons = equivalent.co2e_short_tons) out.field("co2e_short_tons", *tons);
    if (const auto mass = equivalent.co2e_kg) out.field("co2e_kg", *mass);
    if (const auto kwh = equivalent.energy_kwh) out.field("energy_kwh", *kwh);
    out.field("year", static_cast<std::int64_t>(equivalent.year));
    out.field("source", equivalent.source);
    out.end_object();
  }
  out.end_array();
}

void write_flag(JsonWriter& out, const FlaggedEpoch& flag) {
  out.field("device_energy_j", flag.energy.value);
  out.field("median_j", flag.median.value);
  out.field("threshold_j", flag.threshold.value);
  out.field("reason", flag.reason);
  if (flag.times_as_long) out.field("times_as_long", *flag.times_as_long);
  if (flag.times_the_power) out.field("times_the_power", *flag.times_the_power);
  if (flag.has_startup) out.field("has_startup", true);
}

std::string to_json(const Footprint& footprint) {
  JsonWriter out(2);
  out.begin_object();
  write_footprint(out, footprint);
  write_equivalents(out, footprint);
  out.end_object();
  return out.take() + "\n";
}

std::string to_json(const std::vector<Footprint>& footprints,
                    std::optional<std::size_t> shared_epochs) {
  JsonWriter out(2);
  out.begin_object();
  out.key("profiles");
  out.begin_array();
  for (const Footprint& footprint : footprints) {
    out.begin_object();
    write_footprint(out, footprint);
    if (const auto more = excess(footprint.curve.points.back().device_energy.value,
                                 footprints.front().curve.points.back().device_energy.value)) {
      out.field("device_energy_excess", *more);
    }
    out.end_object();
  }
  out.end_array();
  if (shared_epochs) out.field("shared_epochs", static_cast<std::int64_t>(*shared_epochs));
  out.field("notes", comparison_notes(footprints, shared_epochs));
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
