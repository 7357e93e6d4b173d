#include "src/runs/whatif/curve.h"

#include <algorithm>
#include <cstdio>

#include "src/base/amounts.h"
#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/runs/whatif/extrapolate.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxEpochs = 1'000'000;

template <class Quantity>
Estimate<Quantity> estimate(const Ahead& ahead) {
  Estimate<Quantity> out{Quantity(ahead.value), std::nullopt, std::nullopt};
  if (ahead.low) out.low = Quantity(*ahead.low);
  if (ahead.high) out.high = Quantity(*ahead.high);
  return out;
}

// The epochs that have figures, as numbers to extrapolate.
struct Recorded {
  std::vector<std::size_t> epoch;
  std::vector<double> joules;
  std::vector<double> grams;    // Empty without a grid.
  std::vector<double> seconds;  // Empty where one epoch does not say.
};

Result<Recorded> recorded(const Profile& profile, const Setting& setting, std::size_t at_most) {
  Recorded out;
  const double pue = setting.pue ? setting.pue->value : 1.0;
  bool has_durations = true;
  for (std::size_t i = 0; i < std::min(at_most, profile.epochs.size()); ++i) {
    const Epoch& epoch = profile.epochs[i];
    const std::optional<Joules> energy = device_energy(epoch);
    if (!energy) continue;
    out.epoch.push_back(i + 1);
    out.joules.push_back(energy->value);
    has_durations = has_durations && epoch.duration;
    out.seconds.push_back(epoch.duration.value_or(Seconds()).value);
    if (!setting.grid) continue;
    const Result<GramsCo2e> grams =
        emissions(*energy * pue, *setting.grid, epoch.start, epoch.duration);
    if (!grams.ok()) return of_field("intensity_file", grams.error());
    out.grams.push_back(grams.value().value);
  }
  if (!has_durations) out.seconds.clear();
  if (!out.epoch.empty()) return out;
  return Error{ErrorCode::kInvalidInput,
               "the profile " + in_quotes(profile.name) + " has no epoch with an energy",
               "where nothing can be measured, `wattree track --assume cpu=65W` declares a power"};
}

// The widest bound of an epoch, where one is worth a word: more than a thousandth of its energy.
Joules most_doubt(const Profile& profile) {
  Joules most;
  for (const Epoch& epoch : profile.epochs) {
    Joules doubt;
    for (const ComponentEnergy& part : epoch.energy) {
      doubt = doubt + part.uncertainty.value_or(Joules());
    }
    const Joules energy = device_energy(epoch).value_or(Joules());
    if (doubt > energy * 1e-3) most = std::max(most, doubt);
  }
  return most;
}

void add_notes(const Profile& profile, const Setting& setting, std::vector<std::string>& notes) {
  std::size_t without = 0;
  for (const Epoch& epoch : profile.epochs) without += epoch.energy.empty() ? 1 : 0;
  if (without > 0) {
    notes.push_back(std::to_string(without) + " of " + std::to_string(profile.epochs.size()) +
                    " epochs have no figure and are left out");
  }
  for (const std::string& name : component_names(profile)) {
    std::size_t missing = 0;
    for (const Epoch& epoch : profile.epochs) {
      missing += std::none_of(epoch.energy.begin(), epoch.energy.end(),
                              [&](const ComponentEnergy& part) { return part.component == name; })
                     ? 1
                     : 0;
    }
    if (missing > without) {
      notes.push_back(name + " has no figure in " + std::to_string(missing - without) +
                      " epochs: their sums are without it");
    }
  }
  Seconds gap;
  for (const Epoch& epoch : profile.epochs) gap = gap + epoch.gap.value_or(Seconds());
  if (gap > Seconds(0)) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3g", gap.value);
    notes.push_back(std::string("nothing was measured for ") + seconds + " s of the run");
  }
  if (const auto outside = outside_energy(profile)) {
    notes.push_back("the figures are of the epochs; the devices took " +
                    to_text(*outside, EnergyScale::kWithoutKilo) +
                    " more before, between and after them");
  }
  if (const Joules doubt = most_doubt(profile); doubt > Joules(0)) {
    notes.push_back("the meters' steps leave up to ± " + to_text(doubt, EnergyScale::kWithoutKilo) +
                    " of an epoch open");
  }
  if (!setting.pue) {
    notes.emplace_back("no PUE: the figures are the devices' own, without the data centre's share");
  }
}

std::vector<CurvePoint> recorded_points(const Recorded& data, double pue) {
  std::vector<CurvePoint> out;
  double joules = 0;
  double grams = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < data.epoch.size(); ++i) {
    CurvePoint& point = out.emplace_back();
    point.epoch = data.epoch[i];
    point.device_energy.value = Joules(joules += data.joules[i]);
    point.energy.value = point.device_energy.value * pue;
    if (!data.grams.empty()) point.emissions.emplace().value = GramsCo2e(grams += data.grams[i]);
    if (!data.seconds.empty()) point.elapsed = Seconds(seconds += data.seconds[i]);
  }
  return out;
}

// From the epoch after `last` up to `end`.
void extrapolate(const Recorded& data, double pue, std::size_t last, std::size_t end,
                 std::vector<CurvePoint>& points) {
  const Extrapolation more_joules(data.joules);
  const Extrapolation more_grams(data.grams);
  const Extrapolation more_seconds(data.seconds);
  for (std::size_t epoch = last + 1; epoch <= end; ++epoch) {
    const std::size_t ahead = epoch - last;
    CurvePoint& point = points.emplace_back();
    point.epoch = epoch;
    point.is_extrapolated = true;
    point.device_energy = estimate<Joules>(more_joules.at(ahead));
    point.energy.value = point.device_energy.value * pue;
    if (point.device_energy.low) point.energy.low = *point.device_energy.low * pue;
    if (point.device_energy.high) point.energy.high = *point.device_energy.high * pue;
    if (!data.grams.empty()) point.emissions = estimate<GramsCo2e>(more_grams.at(ahead));
    if (!data.seconds.empty()) point.elapsed = Seconds(more_seconds.at(ahead).value);
  }
}

void add_bases(const Profile& profile, const Setting& setting, std::size_t recorded_epochs,
               Curve& curve) {
  curve.device_basis = *provenance(profile);
  if (curve.points.back().is_extrapolated) {
    const std::string by = "least squares over " + std::to_string(recorded_epochs) + " epochs";
    curve.device_basis =
        of_sum(curve.device_basis, {Basis::kPredicted, by, curve.device_basis.boundary});
    if (recorded_epochs < 2) {
      curve.notes.emplace_back("one epoch says nothing about the spread: there is no interval");
    }
  }
  curve.energy_basis =
      setting.pue ? facility_provenance(curve.device_basis, *setting.pue) : curve.device_basis;
  if (setting.grid) {
    curve.emissions_basis = emissions_provenance(curve.energy_basis, *setting.grid);
  }
}

}  // namespace

Result<Curve> curve_of(const Profile& profile, const Setting& setting,
                       std::optional<std::size_t> epochs) {
  const std::size_t end = epochs.value_or(profile.epochs.size());
  if (epochs && (*epochs == 0 || *epochs > kMaxEpochs)) {
    return Error{ErrorCode::kInvalidInput,
                 "the number of epochs must be between 1 and " + std::to_string(kMaxEpochs), "",
                 "epochs"};
  }
  const Result<Recorded> read = recorded(profile, setting, end);
  if (!read.ok()) return read.error();
  const Recorded& data = read.value();
  const double pue = setting.pue ? setting.pue->value : 1.0;
  Curve curve;
  curve.points = recorded_points(data, pue);
  const std::size_t last = std::max(profile.epochs.size(), data.epoch.back());
  extrapolate(data, pue, last, end, curve.points);
  add_notes(profile, setting, curve.notes);
  add_bases(profile, setting, data.epoch.size(), curve);
  return curve;
}

}  // namespace wattree
