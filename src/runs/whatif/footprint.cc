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

Result<Profile> with_hardware(Profile profile, const std::string& hardware,
                              std::span<const Device> devices) {
  if (hardware.empty()) return profile;
  const Result<Fleet> fleet = parse_fleet(hardware, devices);
  if (!fleet.ok()) return of_field("baseline_hardware", fleet.error());
  profile.hardware.clear();
  for (const DeviceCount& entry : fleet.value()) {
    profile.hardware.push_back({entry.device.kind, entry.device.name, entry.count});
  }
  return profile;
}

Result<Overlay> overlay_of(const WhatIfQuery& query, std::span<const Device> devices) {
  Result<Setting> setting = setting_of(query.alternative);
  if (!setting.ok()) return setting.error();
  Overlay out;
  out.grid = setting.value().grid;
  out.pue = setting.value().pue;
  out.hardware.keep = query.keep;
  out.hardware.rule = query.rule;
  out.epochs = query.epochs;
  if (query.hardware.empty()) return out;
  Result<Fleet> fleet = parse_fleet(query.hardware, devices);
  if (!fleet.ok()) return of_field("hardware", fleet.error());
  out.hardware.fleet = std::move(fleet).value();
  return out;
}

// The last recorded point of so many epochs.
const CurvePoint& point_at(const Curve& curve, std::size_t epochs) {
  const CurvePoint* out = &curve.points.front();
  for (const CurvePoint& point : curve.points) {
    if (point.epoch <= epochs && !point.is_so_far && !point.is_extrapolated) out = &point;
  }
  return *out;
}

std::vector<InRegion> in_every_region(const WhatIfAnswer& answer) {
  const auto& compared = answer.compared;
  const CurvePoint& from = compared ? compared->baseline : answer.baseline.curve.points.back();
  const CurvePoint& to = compared ? compared->alternative : answer.alternative.curve.points.back();
  const Joules energy = to.energy.value;
  const auto& emitted = from.emissions;
  std::vector<InRegion> out;
  for (const Region& region : bundled_regions()) {
    InRegion& here = out.emplace_back(InRegion{region, energy * region.intensity, std::nullopt});
    if (emitted && emitted->value > GramsCo2e(0)) {
      here.excess = here.emissions.value / emitted->value.value - 1;
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const InRegion& a, const InRegion& b) { return a.emissions < b.emissions; });
  return out;
}

constexpr char kBoundariesDiffer[] = "the boundaries differ: one figure covers more than the other";

template <class Quantity>
void widen(Estimate<Quantity>& estimate, double spread) {
  estimate.low = estimate.value * std::max(0.0, 1 - spread);
  estimate.high = estimate.value * (1 + spread);
}

// What is known of another run beside its profile.
void add_other(const OtherRun& other, const Curve& baseline, Curve& curve) {
  curve.notes.insert(curve.notes.begin(), other.notes.begin(), other.notes.end());
  if (curve.device_basis.boundary != baseline.device_basis.boundary) {
    curve.notes.emplace_back(kBoundariesDiffer);
  }
  if (other.spread <= 0) return;
  for (CurvePoint& point : curve.points) {
    widen(point.device_energy, other.spread);
    widen(point.energy, other.spread);
    if (point.emissions) widen(*point.emissions, other.spread);
  }
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
                                    std::span<const Device> devices, const OtherRun* other) {
  Result<Profile> given = with_hardware(profile, query.baseline_hardware, devices);
  if (!given.ok()) return given.error();
  Profile baseline = std::move(given).value();
  Result<Setting> setting = setting_for(baseline, query.baseline);
  if (!setting.ok()) return of_baseline(setting.error());
  Result<Overlay> laid = overlay_of(query, devices);
  if (!laid.ok()) return laid.error();
  const Overlay& overlay = laid.value();
  Result<Curve> curve = curve_of(baseline, setting.value(), overlay.epochs);
  if (!curve.ok()) return curve.error();
  // Another run is where it was, and on what.
  const Profile* second = other != nullptr ? &other->profile : nullptr;
  const bool has_own_place = other != nullptr && !other->is_where_baseline_is;
  Result<Setting> begin = has_own_place ? setting_for(*second, {}) : setting;
  if (!begin.ok()) return begin.error();
  Result<WhatIf> result =
      what_if(second != nullptr ? *second : baseline, begin.value(), overlay, devices);
  if (!result.ok()) return result.error();
  WhatIf made = std::move(result).value();
  if (other != nullptr) add_other(*other, curve.value(), made.alternative);
  if (const auto note = source_note(setting.value(), made.setting)) {
    made.alternative.notes.push_back(*note);
  }
  std::optional<AtEpoch> compared;
  Overlay shared = overlay;
  if (second != nullptr && !query.epochs) shared.epochs = epochs_of_all({&baseline, second});
  if (shared.epochs && !query.epochs) {
    compared = AtEpoch{*shared.epochs, point_at(curve.value(), *shared.epochs),
                       point_at(made.alternative, *shared.epochs)};
  }
  Result<std::vector<WhatIfStep>> steps = steps_of(
      {baseline, setting.value(), second, second != nullptr ? &begin.value() : nullptr, shared},
      devices);
  if (!steps.ok()) return steps.error();
  WhatIfAnswer out{{std::move(baseline), std::move(setting).value(), std::move(curve).value()},
                   {std::move(made.profile), std::move(made.setting), std::move(made.alternative)},
                   std::move(made.changes),
                   query.keep,
                   std::move(steps).value(),
                   {},
                   std::move(compared)};
  if (query.in_every_region) out.regions = in_every_region(out);
  return out;
}

std::optional<std::size_t> epochs_of_all(const std::vector<const Profile*>& profiles) {
  std::optional<std::size_t> fewest;
  bool differ = false;
  for (const Profile* profile : profiles) {
    const std::size_t ended = profile->so_far ? profile->so_far->ended : profile->epochs.size();
    if (!has_epochs(*profile) || ended == 0) return std::nullopt;
    differ = differ || (fewest && *fewest != ended);
    fewest = std::min(fewest.value_or(ended), ended);
  }
  return differ ? fewest : std::nullopt;
}

std::optional<double> excess(Joules energy, Joules over) {
  if (!(over > Joules(0))) return std::nullopt;
  return energy.value / over.value - 1;
}

std::vector<std::string> comparison_notes(const std::vector<Footprint>& footprints,
                                          std::optional<std::size_t> shared_epochs) {
  std::vector<std::string> notes;
  const auto differ = [&](auto projection) {
    return std::any_of(footprints.begin(), footprints.end(), [&](const Footprint& footprint) {
      return projection(footprint) != projection(footprints.front());
    });
  };
  if (differ([](const Footprint& f) { return f.curve.device_basis.boundary; })) {
    notes.emplace_back(kBoundariesDiffer);
  }
  if (differ([](const Footprint& f) { return f.curve.device_basis.basis; })) {
    notes.emplace_back("the bases differ: the figures did not come about in the same way");
  }
  if (shared_epochs) {
    notes.push_back("the numbers of epochs differ: all runs are compared after " +
                    std::to_string(*shared_epochs) + (*shared_epochs == 1 ? " epoch" : " epochs") +
                    ", as many as the shortest has");
  } else if (differ([](const Footprint& f) { return f.curve.points.back().epoch; })) {
    notes.emplace_back(
        "the numbers of epochs differ, and one run is a single figure: whole runs are compared");
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
