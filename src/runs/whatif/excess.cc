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
std::string reason_of(const EpochAmount& epoch, double median_energy,
                      std::optional<double> median_duration) {
  const double ratio = epoch.energy.value / median_energy;
  std::string out = "it took " + four_digits(ratio) + " times the median epoch's energy";
  if (epoch.has_startup) return out + ", and includes the command's start-up";
  if (!epoch.duration || !median_duration || !(*median_duration > 0)) return out;
  const double longer = epoch.duration->value / *median_duration;
  if (!(longer > 0)) return out;
  const double power = ratio / longer;
  if (longer >= power) return out + ": it lasted " + four_digits(longer) + " times as long";
  return out + ": its power was " + four_digits(power) + " times as high";
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
    out.push_back({i, epochs[i].energy, Joules(middle), Joules(threshold),
                   reason_of(epochs[i], middle, median_duration)});
  }
  return out;
}

}  // namespace wattree
