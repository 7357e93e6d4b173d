#include "src/api/footprint.h"

#include <algorithm>

#include "src/api/amounts.h"
#include "src/api/profiles.h"
#include "src/base/in_quotes.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

// The fields that every footprint has in JSON.
void write_footprint(JsonWriter& out, const Footprint& footprint) {
  const Profile& profile = footprint.profile;
  out.field("name", profile.name);
  out.field("hardware", hardware_text(profile));
  out.field("recorded_epochs", static_cast<std::int64_t>(profile.epochs.size()));
  out.key("setting");
  out.begin_object();
  write_setting(out, footprint.setting);
  out.end_object();
  out.key("curve");
  write_curve(out, footprint.curve);
}

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

}  // namespace

Result<Footprint> footprint_of(Profile profile, const SettingQuery& query,
                               std::optional<std::size_t> epochs) {
  Result<Setting> setting = setting_for(profile, query);
  if (!setting.ok()) return setting.error();
  Result<Curve> curve = curve_of(profile, setting.value(), epochs);
  if (!curve.ok()) return curve.error();
  return Footprint{std::move(profile), std::move(setting).value(), std::move(curve).value()};
}

Profile profile_of_energy(Joules energy, const std::string& as_typed) {
  Profile profile;
  profile.name = as_typed;
  profile.epochs.emplace_back().energy.push_back({"energy",
                                                  ComponentKind::kMachine,
                                                  energy,
                                                  std::nullopt,
                                                  std::nullopt,
                                                  {Basis::kAssumed, "typed in", Boundary::kHost}});
  return profile;
}

Result<Profile> load_run(const std::string& what, const std::filesystem::path& folder) {
  if (const Result<Joules> energy = parse_energy(what); energy.ok()) {
    return profile_of_energy(energy.value(), what);
  }
  Result<Profile> profile = load_profile(what, folder);
  const bool is_number = what.find_first_of("0123456789") == 0;
  if (profile.ok() || profile.error().code != ErrorCode::kNotFound || !is_number) return profile;
  return Error{ErrorCode::kInvalidInput, in_quotes(what) + " is neither an energy nor a profile",
               "an energy has a unit of J, kJ, MJ, GJ, Wh, kWh or MWh: 2.5kWh"};
}

std::string to_json(const Footprint& footprint) {
  JsonWriter out(2);
  out.begin_object();
  write_footprint(out, footprint);
  if (const auto& emitted = footprint.curve.points.back().emissions) {
    out.key("equivalents");
    out.begin_array();
    for (const Equivalent& equivalent : bundled_equivalents()) {
      out.begin_object();
      out.field("item", equivalent.item);
      out.field("times", times(emitted->value, equivalent));
      out.field("co2e_short_tons", equivalent.co2e_short_tons);
      out.field("source", equivalent.source);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
  return out.take() + "\n";
}

Result<WhatIfAnswer> answer_what_if(const Profile& profile, const WhatIfQuery& query,
                                    std::span<const Device> devices) {
  Profile baseline = profile;
  if (!query.baseline_hardware.empty()) {
    const Result<Fleet> fleet = parse_fleet(query.baseline_hardware, devices);
    if (!fleet.ok()) return fleet.error();
    baseline.hardware.clear();
    for (const DeviceCount& entry : fleet.value()) {
      baseline.hardware.push_back({entry.device.kind, entry.device.name, entry.count});
    }
  }
  Result<Setting> setting = setting_for(baseline, query.baseline);
  if (!setting.ok()) return setting.error();
  Result<Setting> other = setting_of(query.alternative);
  if (!other.ok()) return other.error();
  Overlay overlay;
  overlay.grid = other.value().grid;
  overlay.pue = other.value().pue;
  overlay.keep = query.keep;
  overlay.epochs = query.epochs;
  if (!query.hardware.empty()) {
    Result<Fleet> fleet = parse_fleet(query.hardware, devices);
    if (!fleet.ok()) return fleet.error();
    overlay.hardware = std::move(fleet).value();
  }
  Result<WhatIf> result = what_if(baseline, setting.value(), overlay, devices);
  if (!result.ok()) return result.error();
  WhatIf made = std::move(result).value();
  if (const auto note = source_note(setting.value(), made.setting)) {
    made.alternative.notes.push_back(*note);
  }
  return WhatIfAnswer{
      {std::move(baseline), std::move(setting).value(), std::move(made.baseline)},
      {std::move(made.profile), std::move(made.setting), std::move(made.alternative)},
      std::move(made.changes),
      query.keep};
}

std::string to_json(const WhatIfAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.field("keep", answer.keep == Keep::kWork ? "work" : "hours");
  for (const bool is_baseline : {true, false}) {
    out.key(is_baseline ? "baseline" : "alternative");
    out.begin_object();
    write_footprint(out, is_baseline ? answer.baseline : answer.alternative);
    out.end_object();
  }
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
  out.end_object();
  return out.take() + "\n";
}

std::optional<double> excess(Joules energy, Joules over) {
  if (!(over > Joules(0))) return std::nullopt;
  return energy.value / over.value - 1;
}

std::string to_json(const std::vector<Footprint>& footprints) {
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
  out.field("notes", comparison_notes(footprints));
  out.end_object();
  return out.take() + "\n";
}

std::vector<std::string> comparison_notes(const std::vector<Footprint>& footprints) {
  std::vector<std::string> notes;
  const auto differ = [&](auto projection) {
    return std::any_of(footprints.begin(), footprints.end(), [&](const Footprint& footprint) {
      return projection(footprint) != projection(footprints.front());
    });
  };
  if (differ([](const Footprint& f) { return f.curve.device_basis.boundary; })) {
    notes.emplace_back("the boundaries differ: one figure covers more than the other");
  }
  if (differ([](const Footprint& f) { return f.curve.device_basis.basis; })) {
    notes.emplace_back("the bases differ: the figures did not come about in the same way");
  }
  if (differ([](const Footprint& f) { return f.curve.points.back().epoch; })) {
    notes.emplace_back("the numbers of epochs differ; --epochs N brings them to one");
  }
  if (differ([](const Footprint& f) { return f.setting.pue ? f.setting.pue->value : 0.0; })) {
    notes.emplace_back("the PUEs differ; --pue P takes one for all");
  }
  for (const Footprint& footprint : footprints) {
    if (const auto note = source_note(footprints.front().setting, footprint.setting)) {
      notes.push_back(*note);
    }
  }
  return notes;
}

}  // namespace wattree
