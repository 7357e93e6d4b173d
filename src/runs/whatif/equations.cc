#include "src/runs/whatif/equations.h"

#include "src/base/error_field.h"

namespace wattree {
namespace {

void add_power(const Epoch& epoch, EpochEquation& out) {
  if (!epoch.duration || !(*epoch.duration > Seconds(0))) return;
  out.power = out.energy / *epoch.duration;
  for (const ComponentEnergy& part : epoch.energy) {
    std::optional<Watts>& place = part.kind == ComponentKind::kGpu       ? out.gpus
                                  : part.kind == ComponentKind::kMachine ? out.undivided
                                                                         : out.chipset;
    place = place.value_or(Watts()) + part.energy / *epoch.duration;
  }
}

void add_parts(const Epoch& epoch, EpochEquation& out) {
  Joules idle;
  bool has_idle = true;
  for (const ComponentEnergy& part : epoch.energy) {
    if (part.provenance.basis == Basis::kAssumed) out.assumed = out.assumed + part.energy;
    has_idle = has_idle && part.idle;
    idle = idle + part.idle.value_or(Joules());
  }
  if (has_idle) out.idle = idle;
}

Result<EpochEquation> equation_of(std::size_t number, const Epoch& epoch, Joules device,
                                  const Setting& setting) {
  EpochEquation out;
  out.epoch = number;
  const double pue = setting.pue ? setting.pue->value : 1.0;
  out.energy = device * pue;
  out.device_energy = device;
  add_parts(epoch, out);
  out.duration = epoch.duration;
  add_power(epoch, out);
  if (!setting.grid) return out;
  const Result<GramsCo2e> grams = emissions(out.energy, *setting.grid, epoch.start, epoch.duration);
  if (!grams.ok()) return of_field("intensity_file", grams.error());
  out.emissions = grams.value();
  if (const auto* constant = std::get_if<CarbonIntensity>(&setting.grid->intensity)) {
    out.intensity = *constant;
  } else if (out.energy > Joules(0)) {
    out.intensity = CarbonIntensity(out.emissions->value / (out.energy.value / kJoulesPerKwh));
  }
  return out;
}

}  // namespace

Result<std::vector<EpochEquation>> equations_of(const Profile& profile, const Setting& setting) {
  std::vector<EpochEquation> out;
  const bool is_constant =
      !setting.grid || std::holds_alternative<CarbonIntensity>(setting.grid->intensity);
  // A grid that changes with time has no figure for what is in several pieces.
  if (const auto outside = outside_energy(profile); outside && is_constant) {
    Result<EpochEquation> made = equation_of(0, *profile.outside, *outside, setting);
    if (!made.ok()) return made.error();
    out.push_back(std::move(made).value());
  }
  for (std::size_t i = 0; i < profile.epochs.size(); ++i) {
    const auto energy = device_energy(profile.epochs[i]);
    if (!energy) continue;
    Result<EpochEquation> made = equation_of(i + 1, profile.epochs[i], *energy, setting);
    if (!made.ok()) return made.error();
    out.push_back(std::move(made).value());
  }
  if (!profile.so_far) return out;
  if (const auto& open = profile.so_far->open; open && device_energy(*open)) {
    Result<EpochEquation> made =
        equation_of(profile.epochs.size() + 1, *open, *device_energy(*open), setting);
    if (!made.ok()) return made.error();
    out.push_back(std::move(made).value());
  }
  if (!out.empty()) out.back().is_so_far = true;
  return out;
}

}  // namespace wattree
