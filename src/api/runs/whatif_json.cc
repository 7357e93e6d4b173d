#include "src/api/runs/footprint.h"
#include "src/api/runs/run_parts.h"
#include "src/api/runs/whatif.h"
#include "src/base/json_writer.h"
#include "src/runs/whatif/equations.h"
#include "src/runs/whatif/excess.h"
#include "src/runs/whatif/over_time.h"
#include "src/runs/whatif/thin.h"

namespace wattree {
namespace {

void write_fleet(JsonWriter& out, std::string_view name, const Fleet& fleet) {
  out.key(name);
  out.begin_array();
  for (const DeviceCount& entry : fleet) {
    out.begin_object();
    out.field("name", entry.device.name);
    out.field("count", std::int64_t{entry.count});
    out.end_object();
  }
  out.end_array();
}

void write_ratio(JsonWriter& out, const std::string& name, const UncertainRatio& ratio) {
  out.field(name, ratio.value);
  if (ratio.low) out.field(name + "_low", *ratio.low);
  if (ratio.high) out.field(name + "_high", *ratio.high);
}

void write_steps(JsonWriter& out, const std::vector<WhatIfStep>& steps) {
  out.key("steps");
  out.begin_array();
  for (const WhatIfStep& step : steps) {
    out.begin_object();
    out.field("facet", name_of(step.facet));
    out.field("from", step.from);
    out.field("to", step.to);
    out.field("name", step.name);
    out.field("energy_before_j", step.energy_before.value);
    out.field("energy_after_j", step.energy_after.value);
    out.field("energy_change_j", (step.energy_after - step.energy_before).value);
    if (step.emissions_before) out.field("carbon_before_gco2e", step.emissions_before->value);
    if (step.emissions_after) out.field("carbon_after_gco2e", step.emissions_after->value);
    if (step.emissions_before && step.emissions_after) {
      out.field("carbon_change_gco2e", (*step.emissions_after - *step.emissions_before).value);
    }
    out.end_object();
  }
  out.end_array();
}

void write_regions(JsonWriter& out, const std::vector<InRegion>& regions) {
  out.key("regions");
  out.begin_array();
  for (const InRegion& here : regions) {
    out.begin_object();
    out.field("code", here.region.code);
    out.field("name", here.region.name);
    out.field("kind", name_of(here.region.kind));
    out.field("gco2e_per_kwh", here.region.intensity.value);
    out.field("year", static_cast<std::int64_t>(here.region.year));
    out.field("source", here.region.source);
    out.field("carbon_gco2e", here.emissions.value);
    if (here.excess) out.field("excess", *here.excess);
    out.end_object();
  }
  out.end_array();
}

template <class Quantity>
void write_optional(JsonWriter& out, const char* name, const std::optional<Quantity>& amount) {
  if (amount) out.field(name, amount->value);
}

void write_equations(JsonWriter& out, const Footprint& footprint, const WhatIfForm& form) {
  const Result<std::vector<EpochEquation>> equations =
      equations_of(footprint.profile, footprint.setting);
  out.key("equations");
  out.begin_array();
  // An error is the curve's own, which has been told.
  const std::vector<EpochEquation> none;
  const std::vector<EpochEquation>& all = equations.ok() ? equations.value() : none;
  std::vector<double> energies;
  for (const EpochEquation& equation : all) energies.push_back(equation.energy.value);
  for (const std::size_t i : thinned(energies, form.points.value_or(energies.size()))) {
    const EpochEquation& equation = all[i];
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(equation.epoch));
    if (equation.is_so_far) out.field("so_far", true);
    out.field("energy_j", equation.energy.value);
    write_optional(out, "carbon_gco2e", equation.emissions);
    write_optional(out, "gco2e_per_kwh", equation.intensity);
    write_optional(out, "duration_s", equation.duration);
    write_optional(out, "power_w", equation.power);
    write_optional(out, "chipset_w", equation.chipset);
    write_optional(out, "gpus_w", equation.gpus);
    write_optional(out, "undivided_w", equation.undivided);
    out.field("device_energy_j", equation.device_energy.value);
    if (equation.assumed > Joules(0)) out.field("assumed_j", equation.assumed.value);
    write_optional(out, "idle_j", equation.idle);
    if (footprint.setting.pue) out.field("pue", footprint.setting.pue->value);
    out.end_object();
  }
  out.end_array();
}

void write_over_time(JsonWriter& out, const Footprint& footprint) {
  out.key("over_time");
  out.begin_array();
  for (const TimePoint& point : over_time(footprint.profile, footprint.setting, footprint.curve)) {
    out.begin_object();
    out.field("elapsed_s", point.elapsed.value);
    if (point.epoch) out.field("epoch", static_cast<std::int64_t>(*point.epoch));
    out.field("device_energy_j", point.device_energy.value);
    out.field("energy_j", point.energy.value);
    write_optional(out, "carbon_gco2e", point.emissions);
    out.end_object();
  }
  out.end_array();
}

// Both at the same number of epochs, where they have different ones.
void write_compared(JsonWriter& out, const WhatIfAnswer& answer) {
  if (!answer.compared) return;
  out.key("compared");
  out.begin_object();
  out.field("epochs", static_cast<std::int64_t>(answer.compared->epochs));
  for (const bool is_baseline : {true, false}) {
    const CurvePoint& point =
        is_baseline ? answer.compared->baseline : answer.compared->alternative;
    out.key(is_baseline ? "baseline" : "alternative");
    out.begin_object();
    write_amounts(out, point);
    out.end_object();
  }
  out.end_object();
}

// How much more the alternative takes and emits than the baseline.
void write_difference(JsonWriter& out, const WhatIfAnswer& answer) {
  const auto& compared = answer.compared;
  const CurvePoint& from = compared ? compared->baseline : answer.baseline.curve.points.back();
  const CurvePoint& to = compared ? compared->alternative : answer.alternative.curve.points.back();
  out.key("difference");
  out.begin_object();
  out.field("energy_j", (to.energy.value - from.energy.value).value);
  if (const auto more = excess(to.energy.value, from.energy.value)) {
    out.field("energy_excess", *more);
  }
  if (from.emissions && to.emissions) {
    out.field("carbon_gco2e", (to.emissions->value - from.emissions->value).value);
    if (from.emissions->value > GramsCo2e()) {
      out.field("carbon_excess", to.emissions->value.value / from.emissions->value.value - 1);
    }
  }
  out.end_object();
}

void write_flags(JsonWriter& out, const Profile& profile) {
  std::vector<EpochAmount> amounts;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < profile.epochs.size(); ++i) {
    const Epoch& epoch = profile.epochs[i];
    const auto energy = device_energy(epoch);
    if (!energy) continue;
    amounts.push_back({*energy, epoch.duration, epoch.has_startup});
    numbers.push_back(i + 1);
  }
  out.key("flags");
  out.begin_array();
  for (const FlaggedEpoch& flag : flag_excess(amounts)) {
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(numbers[flag.index]));
    write_flag(out, flag);
    out.end_object();
  }
  out.end_array();
}

// The baseline or the alternative.
void write_side(JsonWriter& out, const Footprint& footprint, const WhatIfForm& form,
                const std::vector<HardwareChange>& changes) {
  write_footprint(out, footprint, form.points);
  out.field("has_epochs", has_epochs(footprint.profile));
  if (form.has_over_time) write_over_time(out, footprint);
  write_devices(out, footprint.profile, changes);
  write_components(out, footprint.profile);
  write_flags(out, footprint.profile);
  if (form.has_equations) write_equations(out, footprint, form);
  if (form.has_equivalents) write_equivalents(out, footprint);
}

}  // namespace

std::string to_json(const WhatIfAnswer& answer, const WhatIfForm& form) {
  JsonWriter out(form.has_equations ? 0 : 2);
  out.begin_object();
  out.field("keep", name_of(answer.keep));
  for (const bool is_baseline : {true, false}) {
    out.key(is_baseline ? "baseline" : "alternative");
    out.begin_object();
    write_side(out, is_baseline ? answer.baseline : answer.alternative, form, answer.changes);
    out.end_object();
  }
  write_compared(out, answer);
  write_difference(out, answer);
  write_steps(out, answer.steps);
  out.key("hardware_changes");
  out.begin_array();
  for (const HardwareChange& change : answer.changes) {
    out.begin_object();
    write_fleet(out, "from", change.from);
    write_fleet(out, "to", change.to);
    out.field("formula", name_of(change.formula));
    out.field("by", change.by);
    write_ratio(out, "energy_per_work", change.energy_per_work);
    write_ratio(out, "time_per_work", change.time_per_work);
    write_ratio(out, "energy_factor", change.energy_factor(answer.keep));
    out.end_object();
  }
  out.end_array();
  if (!answer.regions.empty()) write_regions(out, answer.regions);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
