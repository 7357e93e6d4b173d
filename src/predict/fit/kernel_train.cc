#include <algorithm>
#include <cmath>
#include <utility>

#include "src/predict/fit/fit.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {
namespace {

constexpr auto kMl = static_cast<std::size_t>(TreeLevel::kMl);
constexpr auto kModule = static_cast<std::size_t>(TreeLevel::kModule);
constexpr auto kModel = static_cast<std::size_t>(TreeLevel::kModel);

constexpr std::size_t kEnoughKernels = 10;  // For an interval of a kind's own.

bool has_error(const KernelSample& sample, const std::optional<SampleEstimate>& estimate) {
  return estimate && !sample.is_assumed && sample.is_as_in_a_pass() && estimate->energy_j > 0 &&
         estimate->time_s > 0;
}

// Of energy and time, relative to the estimate.
std::pair<double, double> error_of(const KernelSample& sample, const SampleEstimate& estimate) {
  return {(estimate.energy_j - sample.raw_energy_j()) / estimate.energy_j,
          (estimate.time_s - sample.time_s) / estimate.time_s};
}

}  // namespace

void set_intervals(const KernelData& data, const HeldOutSamples& held_out, Predictor& predictor) {
  // Whoever asks has another card than the middle one: intervals are of what the cards took.
  std::array<HeldOut, 2> errors;  // 16 bits, fp32
  std::array<HeldOut, kWorkKinds> by_kind;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!has_error(sample, held_out[i])) continue;
    const auto level = static_cast<std::size_t>(sample.level());
    const auto [energy, time] = error_of(sample, *held_out[i]);
    HeldOut& of = errors[sample.is_single ? 1 : 0];
    of.energy[level].push_back(energy);
    of.time[level].push_back(time);
    if (level != kMl) continue;
    HeldOut& kind = by_kind[static_cast<std::size_t>(kernel_kind(sample.kernels.front().work))];
    kind.energy[kMl].push_back(energy);
    kind.time[kMl].push_back(time);
  }
  std::array<Spread, 2> spreads{spread_of(errors[0]), spread_of(errors[1])};
  const auto keep = [&] {
    const bool has_half = std::any_of(data.samples.begin(), data.samples.end(),
                                      [](const KernelSample& sample) { return !sample.is_single; });
    const bool has_single =
        std::any_of(data.samples.begin(), data.samples.end(),
                    [](const KernelSample& sample) { return sample.is_single; });
    if (has_single) predictor.single_spread = spreads[1];
    predictor.spreads[static_cast<std::size_t>(Known::kNothing)] = spreads[has_half ? 0 : 1];
  };
  keep();
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    if (by_kind[k].energy[kMl].size() < kEnoughKernels || !predictor.kinds[k]) continue;
    const Spread spread = spread_of(by_kind[k]);
    predictor.kinds[k]->energy_spread = spread.energy[kMl];
    predictor.kinds[k]->time_spread = spread.time[kMl];
  }
  // Of passes once more, as a share of what their kernels' intervals add up to.
  std::array<HeldOut, 2> shares;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!sample.is_pass() || !has_error(sample, held_out[i])) continue;
    const KernelSpread kernels = spread_of_kernels(predictor, sample);
    if (kernels.energy <= 0 || kernels.time <= 0) continue;
    const auto [energy, time] = error_of(sample, *held_out[i]);
    HeldOut& of = shares[sample.is_single ? 1 : 0];
    of.energy[kModel].push_back(energy / kernels.energy);
    of.time[kModel].push_back(time / kernels.time);
  }
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    const Spread share = spread_of(shares[s]);
    spreads[s].energy_of_kernels = share.energy[kModel];
    spreads[s].time_of_kernels = share.time[kModel];
  }
  keep();
}

Result<TrainedKernels> train_kernels(const KernelData& data, const std::string& name) {
  Result<Predictor> fitted = fit_kernels(data, Chosen(data.samples.size(), true));
  if (!fitted.ok()) return fitted.error();
  Predictor predictor = std::move(fitted).value();
  predictor.name = name;
  predictor.models = data.models;
  std::sort(predictor.models.begin(), predictor.models.end());
  Result<HeldOutSamples> held_out = hold_out(data, LeaveOut::kFamily);
  if (!held_out.ok()) return held_out.error();
  set_intervals(data, held_out.value(), predictor);
  std::array<double, 3> sum{};
  std::array<double, 3> count{};
  bool has_half = false;
  bool has_single = false;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    (sample.is_single ? has_single : has_half) = true;
    predictor.trees += sample.is_pass();
    const auto& estimate = held_out.value()[i];
    if (!has_error(sample, estimate)) continue;
    const auto level = static_cast<std::size_t>(sample.level());
    sum[level] += std::abs(estimate->energy_j / sample.energy_j - 1);
    count[level] += 1;
  }
  const auto mean = [&](std::size_t l) { return count[l] > 0 ? 100 * sum[l] / count[l] : 0; };
  predictor.errors[static_cast<std::size_t>(Known::kNothing)] =
      Predictor::Errors{mean(kMl), mean(kModule), mean(kModel)};
  predictor.dtypes.clear();
  if (has_single) predictor.dtypes.emplace_back("fp32");
  if (has_half) predictor.dtypes.emplace_back("bf16");
  return TrainedKernels{std::move(predictor), std::move(held_out).value()};
}

}  // namespace wattree
