#include "src/runs/whatif/curve.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "src/base/amounts.h"
#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/runs/whatif/extrapolate.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxEpochs = 1'000'000;

// What one window of the run took, as numbers to add up and to extrapolate.
struct Amounts {
  double joules = 0;
  double grams = 0;
  double seconds = 0;

  void add(const Amounts& more) {
    joules += more.joules;
    grams += more.grams;
    seconds += more.seconds;
  }
};

struct Recorded {
  std::vector<std::size_t> numbers;  // Of the epochs that have figures,
  std::vector<Amounts> epochs;       // and their figures.
  std::optional<Amounts> open;       // Of the epoch that goes on, so far.
  std::size_t open_number = 0;       // Of that one.
  std::optional<Amounts> outside;
  bool has_grams = false;
  bool has_seconds = true;  // Every window says how long it took.
  // The first of them has the command's start-up in it, which later ones have not.
  bool has_startup = false;
  // The epochs that tell what further ones will take.
  std::size_t first_typical() const { return has_startup && epochs.size() > 1 ? 1 : 0; }
};

Result<Amounts> amounts_of(const Epoch& epoch, Joules energy, const Setting& setting) {
  Amounts out{energy.value, 0, epoch.duration.value_or(Seconds()).value};
  if (!setting.grid) return out;
  const double pue = setting.pue ? setting.pue->value : 1.0;
  const Result<GramsCo2e> grams =
      emissions(energy * pue, *setting.grid, epoch.start, epoch.duration);
  if (!grams.ok()) return of_field("intensity_file", grams.error());
  out.grams = grams.value().value;
  return out;
}

// It is in several pieces, so that a grid that changes with time has no figure for it: there the
// epochs' mean stands in.
Result<Amounts> outside_amounts(const Epoch& outside, Joules energy, const Setting& setting,
                                const std::vector<Amounts>& epochs) {
  if (!setting.grid || std::holds_alternative<CarbonIntensity>(setting.grid->intensity)) {
    return amounts_of(outside, energy, setting);
  }
  Amounts sum;
  for (const Amounts& epoch : epochs) sum.add(epoch);
  return Amounts{energy.value, sum.joules > 0 ? energy.value * sum.grams / sum.joules : 0,
                 outside.duration.value_or(Seconds()).value};
}

Error no_energy(const Profile& profile) {
  if (profile.so_far && profile.so_far->has_meters) {
    return Error{ErrorCode::kUnavailable,
                 "no meter of " + in_quotes(profile.name) + " has told anything yet",
                 "the first figures come within a second or two", "", "no_energy_yet"};
  }
  return Error{
      ErrorCode::kInvalidInput,
      "the profile " + in_quotes(profile.name) + " has no epoch with an energy",
      "where nothing can be measured, `wattree track` with <assume> cpu=65W declares a power", "",
      "no_energy"};
}

Status add_open(const Profile& profile, const Setting& setting, Recorded& out) {
  const std::optional<Joules> energy = device_energy(*profile.so_far->open);
  if (!energy) return {};
  const Result<Amounts> amounts = amounts_of(*profile.so_far->open, *energy, setting);
  if (!amounts.ok()) return amounts.error();
  out.open = amounts.value();
  out.open_number = profile.epochs.size() + 1;
  return {};
}

Result<Recorded> recorded(const Profile& profile, const Setting& setting,
                          std::optional<std::size_t> epochs) {
  const std::size_t at_most = epochs.value_or(profile.epochs.size());
  Recorded out;
  out.has_grams = setting.grid.has_value();
  for (std::size_t i = 0; i < std::min(at_most, profile.epochs.size()); ++i) {
    const Epoch& epoch = profile.epochs[i];
    const std::optional<Joules> energy = device_energy(epoch);
    if (!energy) continue;
    const Result<Amounts> amounts = amounts_of(epoch, *energy, setting);
    if (!amounts.ok()) return amounts.error();
    if (out.epochs.empty()) out.has_startup = epoch.has_startup;
    out.numbers.push_back(i + 1);
    out.epochs.push_back(amounts.value());
    out.has_seconds = out.has_seconds && epoch.duration;
  }
  if (out.epochs.empty()) return no_energy(profile);
  if (profile.so_far && profile.so_far->open && (!epochs || *epochs > profile.epochs.size())) {
    if (const Status failure = add_open(profile, setting, out); !failure.ok()) {
      return failure.error();
    }
  }
  if (const auto outside = outside_energy(profile)) {
    const Result<Amounts> amounts =
        outside_amounts(*profile.outside, *outside, setting, out.epochs);
    if (!amounts.ok()) return amounts.error();
    out.outside = amounts.value();
    out.has_seconds = out.has_seconds && profile.outside->duration;
  }
  return out;
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
  std::unordered_map<std::string_view, std::size_t> figures;
  for (const Epoch& epoch : profile.epochs) {
    for (const ComponentEnergy& part : epoch.energy) ++figures[part.component];
  }
  for (const std::string& name : component_names(profile)) {
    const std::size_t missing = profile.epochs.size() - figures[name];
    if (missing > without) {
      notes.push_back(name + " has no figure in " + std::to_string(missing - without) +
                      " epochs: their sums are without it");
    }
  }
  Seconds gap;
  for (const Epoch* window : windows_of(profile)) gap = gap + window->gap.value_or(Seconds());
  if (gap > Seconds(0)) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3g", gap.value);
    notes.push_back(std::string("nothing was measured for ") + seconds + " s of the run");
  }
  if (const auto outside = outside_energy(profile)) {
    notes.push_back("the total includes " + to_text(*outside, EnergyScale::kWithoutKilo) +
                    " of the devices outside the epochs: before, between and after them");
  }
  if (const Joules doubt = most_doubt(profile); doubt > Joules(0)) {
    notes.push_back("the meters' steps leave up to ± " + to_text(doubt, EnergyScale::kWithoutKilo) +
                    " of an epoch open");
  }
  if (!setting.pue) {
    notes.emplace_back("no PUE: the figures are the devices' own, without the data centre's share");
  }
}

CurvePoint point_of(std::size_t epoch, const Amounts& so_far, const Recorded& data, double pue) {
  CurvePoint point;
  point.epoch = epoch;
  point.device_energy.value = Joules(so_far.joules);
  point.energy.value = point.device_energy.value * pue;
  if (data.has_grams) point.emissions.emplace().value = GramsCo2e(so_far.grams);
  if (data.has_seconds) point.elapsed = Seconds(so_far.seconds);
  return point;
}

void add_recorded(const Recorded& data, double pue, Curve& curve) {
  Amounts so_far;
  if (data.outside) {
    so_far = *data.outside;
    curve.outside = point_of(0, so_far, data, pue);
  }
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    so_far.add(data.epochs[i]);
    curve.points.push_back(point_of(data.numbers[i], so_far, data, pue));
  }
  if (!data.open) return;
  so_far.add(*data.open);
  curve.points.push_back(point_of(data.open_number, so_far, data, pue));
  curve.points.back().is_so_far = true;
}

// One of the amounts as it goes on: what counts once, and the typical epochs continued.
class Continued {
 public:
  Continued(const Recorded& data, double Amounts::*amount) {
    if (data.outside) once_ = (*data.outside).*amount;
    for (std::size_t i = 0; i < data.epochs.size(); ++i) {
      if (i < data.first_typical()) {
        once_ += data.epochs[i].*amount;
      } else {
        typical_.add(data.epochs[i].*amount);
      }
    }
  }

  template <class Quantity>
  Estimate<Quantity> at(std::size_t ahead) const {
    const Ahead found = typical_.at(ahead);
    Estimate<Quantity> out{Quantity(once_ + found.value), std::nullopt, std::nullopt};
    if (found.low) out.low = Quantity(once_ + *found.low);
    if (found.high) out.high = Quantity(once_ + *found.high);
    return out;
  }

 private:
  double once_ = 0;
  Extrapolation typical_;
};

// An epoch that goes on may take more than those before it did.
template <class Quantity>
void raise(Estimate<Quantity>& estimate, const Estimate<Quantity>& so_far) {
  estimate.value = std::max(estimate.value, so_far.value);
  if (estimate.low) estimate.low = std::max(*estimate.low, so_far.value);
  if (estimate.high) estimate.high = std::max(*estimate.high, so_far.value);
}

void raise(CurvePoint& point, const CurvePoint& so_far) {
  raise(point.device_energy, so_far.device_energy);
  raise(point.energy, so_far.energy);
  if (point.emissions && so_far.emissions) raise(*point.emissions, *so_far.emissions);
  if (point.elapsed && so_far.elapsed) point.elapsed = std::max(*point.elapsed, *so_far.elapsed);
}

// From the epoch after `last` up to `end`.
void extrapolate(const Recorded& data, double pue, std::size_t last, std::size_t end,
                 std::vector<CurvePoint>& points) {
  const std::optional<CurvePoint> so_far = data.open ? std::optional(points.back()) : std::nullopt;
  const Continued joules(data, &Amounts::joules);
  const Continued grams(data, &Amounts::grams);
  const Continued seconds(data, &Amounts::seconds);
  for (std::size_t epoch = last + 1; epoch <= end; ++epoch) {
    const std::size_t ahead = epoch - last;
    CurvePoint& point = points.emplace_back();
    point.epoch = epoch;
    point.is_extrapolated = true;
    point.device_energy = joules.at<Joules>(ahead);
    point.energy.value = point.device_energy.value * pue;
    if (point.device_energy.low) point.energy.low = *point.device_energy.low * pue;
    if (point.device_energy.high) point.energy.high = *point.device_energy.high * pue;
    if (data.has_grams) point.emissions = grams.at<GramsCo2e>(ahead);
    if (data.has_seconds) point.elapsed = seconds.at<Seconds>(ahead).value;
    if (so_far) raise(point, *so_far);
  }
}

// What an extrapolation rests on, and what it does not know.
void add_extrapolation_notes(const Recorded& data, std::vector<std::string>& notes) {
  if (data.outside) {
    notes.emplace_back("more epochs take no more outside the epochs: that part counts once");
  }
  if (data.first_typical() > 0) {
    notes.emplace_back(
        "the first epoch includes the command's start-up: the extrapolation rests on the later "
        "ones");
  } else if (data.has_startup) {
    notes.emplace_back(
        "the only epoch includes the command's start-up: the extrapolation counts it in every "
        "epoch and is too high");
  }
  if (data.epochs.size() - data.first_typical() < 2) {
    notes.emplace_back("one epoch says nothing about the spread: there is no interval");
  }
}

void add_bases(const Profile& profile, const Setting& setting, const Recorded& data, Curve& curve) {
  curve.device_basis = *provenance(profile);
  if (curve.points.back().is_extrapolated) {
    const std::size_t typical = data.epochs.size() - data.first_typical();
    const std::string by =
        "least squares over " + std::to_string(typical) + (typical == 1 ? " epoch" : " epochs");
    curve.device_basis =
        of_sum(curve.device_basis, {Basis::kPredicted, by, curve.device_basis.boundary});
    add_extrapolation_notes(data, curve.notes);
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
  // A run whose first epoch goes on says nothing about the next ones.
  const bool has_none_ended = profile.so_far && profile.so_far->ended == 0;
  const std::size_t end =
      has_none_ended ? profile.epochs.size() : epochs.value_or(profile.epochs.size());
  if (epochs && (*epochs == 0 || *epochs > kMaxEpochs)) {
    return Error{ErrorCode::kInvalidInput,
                 "the number of epochs must be between 1 and " + std::to_string(kMaxEpochs), "",
                 "epochs"};
  }
  const Result<Recorded> read = recorded(profile, setting, epochs);
  if (!read.ok()) return read.error();
  const Recorded& data = read.value();
  const double pue = setting.pue ? setting.pue->value : 1.0;
  Curve curve;
  add_recorded(data, pue, curve);
  if (has_none_ended) curve.points.back().is_so_far = true;
  const std::size_t last = std::max(profile.epochs.size(), data.numbers.back());
  extrapolate(data, pue, last, end, curve.points);
  add_notes(profile, setting, curve.notes);
  add_bases(profile, setting, data, curve);
  return curve;
}

}  // namespace wattree
