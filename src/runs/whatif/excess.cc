#include "src/runs/whatif/excess.h"

#include <algorithm>
#include <cmath>

#include "src/base/amounts.h"

namespace wattree {
namespace {

constexpr std::size_t kFewest = 5;
constexpr double kDeviations = 3;
constexpr double kPerMedianDistance = 1.4826;  // 1 / the normal distribution's 75 % quantile.
constexpr double kLeastDeviation = 0.01;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// Whether it was longer than the others, or drew more.
void explain(const EpochAmount& epoch, double median_energy, std::optional<double> median_duration,
             FlaggedEpoch& out) {
  const double ratio = epoch.energy.value / median_energy;
  out.reason = "it took " + four_digits(ratio) + " times the median epoch's energy";
  if (epoch.has_startup) {
    out.has_startup = true;
    out.reason += ", and includes the command's start-up";
    return;
  }
  if (!epoch.duration || !median_duration || !(*median_duration > 0)) return;
  const double longer = epoch.duration->value / *median_duration;
  if (!(longer > 0)) return;
  const double power = ratio / longer;
  if (longer >= power) {
    out.times_as_long = longer;
    out.reason += ": it lasted " + four_digits(longer) + " times as long";
  } else {
    out.times_the_power = power;
    out.reason += ": its power was " + four_digits(power) + " times as high";
  }
}

}  // namespace

std::vector<FlaggedEpoch> flag_excess(std::span<const EpochAmount> epochs) {
  std::vector<FlaggedEpoch> out;
  if (epochs.size() < kFewest) return out;
  std::vector<double> energies, durations;
  energies.reserve(epochs.size());
  for (const EpochAmount& epoch : epochs) {
    energies.push_back(epoch.energy.value);
    if (epoch.duration) durations.push_back(epoch.duration->value);
  }
  const double middle = median(energies);
  for (double& energy : energies) energy = std::abs(energy - middle);
  const double deviation =
      std::max(kPerMedianDistance * median(std::move(energies)), kLeastDeviation * middle);
  const double threshold = middle + kDeviations * deviation;
  if (!(middle > 0)) return out;
  std::optional<double> median_duration;
  if (durations.size() == epochs.size()) median_duration = median(std::move(durations));
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (!(epochs[i].energy.value > threshold)) continue;
    FlaggedEpoch& flag = out.emplace_back();
    flag.index = i;
    flag.energy = epochs[i].energy;
    flag.median = Joules(middle);
    flag.threshold = Joules(threshold);
    explain(epochs[i], middle, median_duration, flag);
  }
  return out;
}

}  // namespace wattree
