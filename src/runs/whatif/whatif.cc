#include "src/runs/whatif/whatif.h"

#include <algorithm>
#include <set>

namespace wattree {
namespace {

Fleet part_of(const Fleet& fleet, bool accelerators) {
  Fleet out;
  for (const DeviceCount& entry : fleet) {
    if (is_accelerator(entry.device.kind) == accelerators) out.push_back(entry);
  }
  return out;
}

// The profile's own devices of a kind, looked up in the table.
Result<Fleet> recorded_fleet(const Profile& profile, bool accelerators,
                             std::span<const Device> devices) {
  Fleet out;
  for (const HardwareEntry& entry : profile.hardware) {
    if (is_accelerator(entry.kind) != accelerators) continue;
    Result<Device> device = find_device(entry.name, devices);
    if (!device.ok()) {
      Error error = device.error();
      error.message = "the profile's " + error.message;
      return error;
    }
    out.push_back({std::move(device).value(), entry.count});
  }
  if (!out.empty()) return out;
  return Error{ErrorCode::kInvalidInput,
               std::string("the profile does not name the ") +
                   (accelerators ? "accelerators" : "CPUs") + " it ran on",
               "name them with <baseline_hardware>", "baseline_hardware"};
}

double at(RatioEnd bound, const UncertainRatio& ratio) {
  if (bound == RatioEnd::kLow) return ratio.low.value_or(ratio.value);
  if (bound == RatioEnd::kHigh) return ratio.high.value_or(ratio.value);
  return ratio.value;
}

void scale(ComponentEnergy& part, double factor, const HardwareChange& change, Keep keep) {
  part.energy = part.energy * factor;
  // Nobody measured the other hardware idle, and a counter's step says nothing about it.
  part.idle.reset();
  part.uncertainty.reset();
  const Basis of_ratio = change.energy_factor(keep).low ? Basis::kAssumed : Basis::kDerived;
  part.provenance.basis = std::max(of_ratio, part.provenance.basis);
  for (const Fleet* fleet : {&change.from, &change.to}) {
    for (const DeviceCount& entry : *fleet) {
      part.provenance.basis = std::max(entry.device.basis, part.provenance.basis);
    }
  }
  // For the same hours the powers count alone.
  part.provenance.by += " × " + (keep == Keep::kHours ? "TDP" : change.by) + " of " +
                        to_string(change.to) + " over " + to_string(change.from);
}

// Nobody knows what the parts that stay would take in a longer or shorter run.
void add_kept_note(const Profile& profile, const Fleet& fleet, std::vector<std::string>& notes) {
  const auto is_kept = [&](ComponentKind kind) {
    if (kind == ComponentKind::kMemory) return true;
    const bool accelerators = kind == ComponentKind::kGpu;
    return kind != ComponentKind::kMachine && part_of(fleet, accelerators).empty();
  };
  std::set<std::string> kept;
  for (const Epoch* window : windows_of(profile)) {
    for (const ComponentEnergy& part : window->energy) {
      if (is_kept(part.kind)) kept.insert(part.component);
    }
  }
  for (const std::string& name : kept) {
    notes.push_back(name + " keeps the energy it had, although the duration changes");
  }
}

// All windows of the run, to be changed.
std::vector<Epoch*> windows_in(Profile& profile) {
  std::vector<Epoch*> out;
  for (Epoch& epoch : profile.epochs) out.push_back(&epoch);
  if (profile.so_far && profile.so_far->open) out.push_back(&*profile.so_far->open);
  if (profile.outside) out.push_back(&*profile.outside);
  return out;
}

void stretch(Profile& profile, double factor) {
  std::optional<UtcTime> first;
  if (profile.outside && profile.outside->duration) {
    profile.outside->duration = *profile.outside->duration * factor;
  }
  if (profile.so_far) {
    for (Seconds& end : profile.so_far->ends) end = end * factor;
  }
  for (SampleSeries& series : profile.samples) {
    for (Seconds& end : series.end) end = end * factor;
  }
  const auto move = [&](Epoch& epoch) {
    if (epoch.duration) epoch.duration = *epoch.duration * factor;
    if (!epoch.start) return;
    if (!first) first = epoch.start;
    const auto since = std::chrono::duration_cast<std::chrono::duration<double, std::micro>>(
        *epoch.start - *first);
    epoch.start = *first + std::chrono::duration_cast<std::chrono::microseconds>(since * factor);
  };
  for (Epoch& epoch : profile.epochs) move(epoch);
  if (profile.so_far && profile.so_far->open) move(*profile.so_far->open);
}

}  // namespace

Result<OnHardware> on_hardware(const Profile& profile, const Move& move,
                               std::span<const Device> devices, RatioEnd bound) {
  const Fleet& fleet = move.fleet;
  RatioRule rule = move.rule;
  if (!rule.units) rule.units = parse_compute_units(profile.precision);
  OnHardware out{profile, {}, {}};
  const bool has_accelerators =
      std::any_of(profile.hardware.begin(), profile.hardware.end(),
                  [](const HardwareEntry& entry) { return is_accelerator(entry.kind); });
  for (const bool accelerators : {true, false}) {
    Fleet to = part_of(fleet, accelerators);
    if (to.empty()) continue;
    Result<Fleet> from = recorded_fleet(profile, accelerators, devices);
    if (!from.ok()) return from.error();
    Result<HardwareChange> changed = hardware_change(std::move(from).value(), std::move(to), rule);
    if (!changed.ok()) return changed.error();
    const HardwareChange& made = changed.value();
    // The accelerators set the pace where there are any.
    const bool is_leading = accelerators || !has_accelerators;
    const double factor = at(bound, made.energy_factor(move.keep));
    out.notes.insert(out.notes.end(), made.notes.begin(), made.notes.end());
    bool has_whole_machine = false;
    const auto is_changed = [&](ComponentKind kind) {
      return kind == (accelerators ? ComponentKind::kGpu : ComponentKind::kCpu) ||
             (kind == ComponentKind::kMachine && is_leading);
    };
    for (Epoch* window : windows_in(out.profile)) {
      window->gap.reset();
      for (ComponentEnergy& part : window->energy) {
        if (is_changed(part.kind)) scale(part, factor, made, move.keep);
        has_whole_machine =
            has_whole_machine || (part.kind == ComponentKind::kMachine && is_leading);
      }
    }
    for (SampleSeries& series : out.profile.samples) {
      if (!is_changed(series.kind)) continue;
      for (Joules& energy : series.energy) energy = energy * factor;
    }
    if (has_whole_machine) {
      out.notes.push_back(
          std::string("the machine's energy is one figure: all of it is scaled as that of ") +
          (accelerators ? "the accelerators" : "the CPUs"));
    }
    if (is_leading && move.keep == Keep::kWork && made.time_per_work.value != 1) {
      stretch(out.profile, made.time_per_work.value);
      add_kept_note(profile, fleet, out.notes);
    }
    std::erase_if(out.profile.hardware, [&](const HardwareEntry& entry) {
      return is_accelerator(entry.kind) == accelerators;
    });
    for (const DeviceCount& entry : made.to) {
      out.profile.hardware.push_back({entry.device.kind, entry.device.name, entry.count});
    }
    out.changes.push_back(std::move(changed).value());
  }
  out.profile.steps.clear();  // They are of the run as it was.
  return out;
}

namespace {

constexpr char kDatasheets[] =
    "other hardware is compared by data sheets, within a factor of two: measure before you rent";

template <class Quantity>
void widen(Estimate<Quantity>& estimate, const Estimate<Quantity>& low,
           const Estimate<Quantity>& high) {
  estimate.low = low.low.value_or(low.value);
  estimate.high = high.high.value_or(high.value);
}

// Gives every point of a curve the interval that the ratios of its hardware have.
Status add_interval(const Profile& profile, const Setting& setting, const Overlay& overlay,
                    std::span<const Device> devices, Curve& curve) {
  std::vector<Curve> ends;
  for (const RatioEnd bound : {RatioEnd::kLow, RatioEnd::kHigh}) {
    const Result<OnHardware> moved = on_hardware(profile, overlay.hardware, devices, bound);
    if (!moved.ok()) return moved.error();
    Result<Curve> end = curve_of(moved.value().profile, setting, overlay.epochs);
    if (!end.ok()) return end.error();
    ends.push_back(std::move(end).value());
  }
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& low = ends[0].points[i];
    const CurvePoint& high = ends[1].points[i];
    widen(curve.points[i].device_energy, low.device_energy, high.device_energy);
    widen(curve.points[i].energy, low.energy, high.energy);
    if (curve.points[i].emissions) {
      widen(*curve.points[i].emissions, *low.emissions, *high.emissions);
    }
  }
  return {};
}

bool has_interval(const std::vector<HardwareChange>& changes, Keep keep) {
  return std::any_of(changes.begin(), changes.end(), [&](const HardwareChange& change) {
    return change.energy_factor(keep).low.has_value();
  });
}

}  // namespace

Result<WhatIf> what_if(const Profile& profile, const Setting& setting, const Overlay& overlay,
                       std::span<const Device> devices) {
  WhatIf out;
  Result<Curve> baseline = curve_of(profile, setting, overlay.epochs);
  if (!baseline.ok()) return baseline.error();
  out.baseline = std::move(baseline).value();

  out.setting = setting;
  if (overlay.grid) out.setting.grid = overlay.grid;
  if (overlay.pue) out.setting.pue = overlay.pue;
  OnHardware moved{profile, {}, {}};
  if (!overlay.hardware.fleet.empty()) {
    Result<OnHardware> result = on_hardware(profile, overlay.hardware, devices);
    if (!result.ok()) return result.error();
    moved = std::move(result).value();
  }
  Result<Curve> alternative = curve_of(moved.profile, out.setting, overlay.epochs);
  if (!alternative.ok()) return alternative.error();
  out.alternative = std::move(alternative).value();
  if (has_interval(moved.changes, overlay.hardware.keep)) {
    const Status failure = add_interval(profile, out.setting, overlay, devices, out.alternative);
    if (!failure.ok()) return failure.error();
    moved.notes.push_back(kDatasheets);
  }
  out.alternative.notes.insert(out.alternative.notes.end(), moved.notes.begin(), moved.notes.end());
  out.changes = std::move(moved.changes);
  out.profile = std::move(moved.profile);
  return out;
}

}  // namespace wattree
