#include "src/api/runs/whatif.h"

#include "src/api/runs/footprint.h"
#include "src/api/runs/run_parts.h"
#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/whatif/equations.h"
#include "src/runs/whatif/excess.h"
#include "src/runs/whatif/thin.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostOfCurve = 20'000;

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

void write_steps(JsonWriter& out, const std::vector<WhatIfStep>& steps) {
  out.key("steps");
  out.begin_array();
  for (const WhatIfStep& step : steps) {
    out.begin_object();
    out.field("facet", name_of(step.facet));
    out.field("from", step.from);
    out.field("to", step.to);
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
  write_devices(out, footprint.profile, changes);
  write_components(out, footprint.profile);
  write_flags(out, footprint.profile);
  if (form.has_equations) write_equations(out, footprint, form);
  if (form.has_equivalents) write_equivalents(out, footprint);
}

}  // namespace

std::optional<Keep> parse_keep(std::string_view name) {
  if (name == "work") return Keep::kWork;
  if (name == "hours") return Keep::kHours;
  return std::nullopt;
}

std::string_view name_of(Keep keep) { return keep == Keep::kWork ? "work" : "hours"; }

Result<WhatIfRequest> what_if_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  WhatIfRequest out;
  out.profile = read_run(fields, "profile");
  out.query.alternative = read_setting(json, fields);
  out.query.hardware = fields.text("hardware");
  out.query.baseline = read_setting(json, fields, "baseline_");
  out.query.baseline_hardware = fields.text("baseline_hardware");
  if (const std::string keep = fields.text("keep"); !keep.empty()) {
    const std::optional<Keep> known = parse_keep(keep);
    if (!known) fields.complain("keep", "must be work or hours");
    out.query.keep = known.value_or(Keep::kWork);
  }
  out.query.epochs = read_epochs(fields);
  out.own_devices = read_own_devices(fields);
  if (fields.has("other")) out.other = read_run(fields, "other");
  out.query.in_every_region = fields.flag("regions");
  // The form's, which what_if_form() reads.
  for (const char* name : {"equations", "equivalents"}) fields.flag(name);
  fields.whole("points", 4, kMostOfCurve);
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<WhatIfForm> what_if_form(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  WhatIfForm out;
  if (const auto points = fields.whole("points", 4, kMostOfCurve)) {
    out.points = static_cast<std::size_t>(*points);
  }
  out.has_equations = !fields.has("equations") || fields.flag("equations");
  out.has_equivalents = !fields.has("equivalents") || fields.flag("equivalents");
  if (!failure.ok()) return failure.error();
  return out;
}

Result<WhatIfAnswer> what_if(const WhatIfRequest& request, const Services& services) {
  const Result<std::vector<Device>> devices = devices_with(request.own_devices);
  if (!devices.ok()) return devices.error();
  const Result<Profile> profile = load_profile(request.profile, services);
  if (!profile.ok()) return profile.error();
  if (!request.other) return answer_what_if(profile.value(), request.query, devices.value());
  const Result<Profile> other = load_run(*request.other, services);
  if (!other.ok()) return of_field("other", other.error());
  return answer_what_if(profile.value(), request.query, devices.value(), &other.value());
}

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
  write_steps(out, answer.steps);
  out.key("hardware_changes");
  out.begin_array();
  for (const HardwareChange& change : answer.changes) {
    out.begin_object();
    write_fleet(out, "from", change.from);
    write_fleet(out, "to", change.to);
    out.field("energy_per_work", change.energy_per_work);
    out.field("time_per_work", change.time_per_work);
    out.field("energy_factor", change.energy_factor(answer.keep));
    out.end_object();
  }
  out.end_array();
  if (!answer.regions.empty()) write_regions(out, answer.regions);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
