#include "src/runs/whatif/steps.h"

#include <algorithm>
#include <array>

#include "src/base/amounts.h"
#include "src/facts/carbon/region.h"
#include "src/runs/profile/profile.h"
#include "src/runs/whatif/setting.h"

namespace wattree {
namespace {

constexpr std::array<std::string_view, 4> kNames{"profile", "region", "hardware", "pue"};

struct Totals {
  Joules energy;
  std::optional<GramsCo2e> emissions;
};

Totals totals_of(const Curve& curve) {
  const CurvePoint& last = curve.points.back();
  Totals out{last.energy.value, std::nullopt};
  if (last.emissions) out.emissions = last.emissions->value;
  return out;
}

std::string grid_text(const Setting& setting) {
  return setting.grid ? to_text(*setting.grid) : "no region";
}

// Of the region its name; of an intensity alone the figure.
std::string place_of(const Setting& setting) {
  if (!setting.grid) return "no region";
  const Result<Region> region = find_region(setting.grid->region);
  return setting.grid->region.empty() || !region.ok() ? to_text(*setting.grid)
                                                      : region.value().name;
}

// Of several devices those that were not there before; all of them where they only are fewer.
std::string new_hardware(const Profile& before, const Profile& after) {
  std::vector<HardwareEntry> out = after.hardware;
  std::erase_if(out, [&](const HardwareEntry& entry) {
    return std::find(before.hardware.begin(), before.hardware.end(), entry) !=
           before.hardware.end();
  });
  return hardware_text(out.empty() ? after.hardware : out);
}

std::string pue_text(const Setting& setting) {
  return setting.pue ? "PUE " + four_digits(setting.pue->value) : "no PUE";
}

// The run as it is after some steps.
struct Walk {
  const Profile* profile;
  Setting setting;
  Totals totals;
  std::vector<WhatIfStep> steps = {};

  void add(Facet facet, std::string from, std::string to, std::string name, const Totals& after) {
    steps.push_back({facet, std::move(from), std::move(to), std::move(name), totals.energy,
                     after.energy, totals.emissions, after.emissions});
    totals = after;
  }
  Status change_setting(Facet facet, const Setting& changed, std::optional<std::size_t> epochs) {
    const Result<Curve> curve = curve_of(*profile, changed, epochs);
    if (!curve.ok()) return curve.error();
    const bool is_grid = facet == Facet::kRegion;
    add(facet, is_grid ? grid_text(setting) : pue_text(setting),
        is_grid ? grid_text(changed) : pue_text(changed),
        is_grid ? place_of(changed) : pue_text(changed), totals_of(curve.value()));
    setting = changed;
    return {};
  }
};

}  // namespace

std::string_view name_of(Facet facet) { return kNames.at(static_cast<std::size_t>(facet)); }

Result<std::vector<WhatIfStep>> steps_of(const Difference& difference,
                                         std::span<const Device> devices) {
  const Overlay& overlay = difference.overlay;
  const Result<Curve> baseline = curve_of(difference.baseline, difference.setting, overlay.epochs);
  if (!baseline.ok()) return baseline.error();
  Walk walk{&difference.baseline, difference.setting, totals_of(baseline.value())};
  if (difference.other != nullptr) {
    const Result<Curve> other =
        curve_of(*difference.other, *difference.other_setting, overlay.epochs);
    if (!other.ok()) return other.error();
    walk.add(Facet::kProfile, walk.profile->name, difference.other->name, difference.other->name,
             totals_of(other.value()));
    walk.profile = difference.other;
    walk.setting = *difference.other_setting;
  }
  if (overlay.grid) {
    Setting changed = walk.setting;
    changed.grid = overlay.grid;
    const Status failure = walk.change_setting(Facet::kRegion, changed, overlay.epochs);
    if (!failure.ok()) return failure.error();
  }
  OnHardware moved;
  if (!overlay.hardware.fleet.empty()) {
    Result<OnHardware> result = on_hardware(*walk.profile, overlay.hardware, devices);
    if (!result.ok()) return result.error();
    moved = std::move(result).value();
    const Result<Curve> curve = curve_of(moved.profile, walk.setting, overlay.epochs);
    if (!curve.ok()) return curve.error();
    walk.add(Facet::kHardware, hardware_text(*walk.profile), hardware_text(moved.profile),
             new_hardware(*walk.profile, moved.profile), totals_of(curve.value()));
    walk.profile = &moved.profile;
  }
  if (overlay.pue) {
    Setting changed = walk.setting;
    changed.pue = overlay.pue;
    const Status failure = walk.change_setting(Facet::kPue, changed, overlay.epochs);
    if (!failure.ok()) return failure.error();
  }
  return std::move(walk.steps);
}

}  // namespace wattree
