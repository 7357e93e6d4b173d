#include "src/runs/whatif/footprint.h"

#include <algorithm>

#include "src/base/amounts.h"
#include "src/base/error_field.h"
#include "src/base/in_quotes.h"

namespace wattree {
namespace {

// The setting of a baseline has fields of its own.
Error of_baseline(Error error) {
  if (!error.field.empty()) error.field = "baseline_" + error.field;
  return error;
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
                                                  {Basis::kAssumed, "given", Boundary::kHost}});
  return profile;
}

Result<WhatIfAnswer> answer_what_if(const Profile& profile, const WhatIfQuery& query,
                                    std::span<const Device> devices) {
  Profile baseline = profile;
  if (!query.baseline_hardware.empty()) {
    const Result<Fleet> fleet = parse_fleet(query.baseline_hardware, devices);
    if (!fleet.ok()) return of_field("baseline_hardware", fleet.error());
    baseline.hardware.clear();
    for (const DeviceCount& entry : fleet.value()) {
      baseline.hardware.push_back({entry.device.kind, entry.device.name, entry.count});
    }
  }
  Result<Setting> setting = setting_for(baseline, query.baseline);
  if (!setting.ok()) return of_baseline(setting.error());
  Result<Setting> other = setting_of(query.alternative);
  if (!other.ok()) return other.error();
  Overlay overlay;
  overlay.grid = other.value().grid;
  overlay.pue = other.value().pue;
  overlay.keep = query.keep;
  overlay.epochs = query.epochs;
  if (!query.hardware.empty()) {
    Result<Fleet> fleet = parse_fleet(query.hardware, devices);
    if (!fleet.ok()) return of_field("hardware", fleet.error());
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

std::optional<double> excess(Joules energy, Joules over) {
  if (!(over > Joules(0))) return std::nullopt;
  return energy.value / over.value - 1;
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
    notes.emplace_back("the numbers of epochs differ: ask for one number of all of them");
  }
  if (differ([](const Footprint& f) { return f.setting.pue ? f.setting.pue->value : 0.0; })) {
    notes.emplace_back("the PUEs differ: give one for all of them");
  }
  for (const Footprint& footprint : footprints) {
    if (!footprint.curve.outside) continue;
    notes.push_back(in_quotes(footprint.profile.name) + " took " +
                    to_text(footprint.curve.outside->device_energy.value) +
                    " of its device energy outside its epochs");
  }
  for (const Footprint& footprint : footprints) {
    if (const auto note = source_note(footprints.front().setting, footprint.setting)) {
      notes.push_back(*note);
    }
  }
  return notes;
}

}  // namespace wattree
