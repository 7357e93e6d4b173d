#include <algorithm>
#include <cmath>

#include "src/predict/fit.h"
#include "src/predict/kernel_fit.h"

namespace wattree {
namespace {

constexpr auto kMl = static_cast<std::size_t>(TreeLevel::kMl);
constexpr auto kModule = static_cast<std::size_t>(TreeLevel::kModule);
constexpr auto kModel = static_cast<std::size_t>(TreeLevel::kModel);

constexpr std::size_t kEnoughKernels = 10;  // For an interval of a kind's own.

}  // namespace

Result<Predictor> train_kernels(const KernelData& data, const std::string& name) {
  Result<Predictor> fitted = fit_kernels(data, Chosen(data.samples.size(), true));
  if (!fitted.ok()) return fitted;
  Predictor predictor = std::move(fitted).value();
  predictor.name = name;
  predictor.models = data.models;
  std::sort(predictor.models.begin(), predictor.models.end());
  const auto held_out = hold_out(data, LeaveOut::kFamily);
  if (!held_out.ok()) return held_out.error();
  // Whoever asks has another card than the middle one: intervals are of what the cards took.
  std::array<HeldOut, 2> errors;  // 16 bits, fp32
  std::array<double, 3> sum{};
  std::array<double, 3> count{};
  std::array<HeldOut, kWorkKinds> by_kind;
  bool has_half = false;
  bool has_single = false;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    (sample.is_single ? has_single : has_half) = true;
    predictor.trees += sample.is_pass();
    const auto& estimate = held_out.value()[i];
    if (!estimate || !sample.is_as_in_a_pass()) continue;
    if (estimate->energy_j <= 0 || estimate->time_s <= 0) continue;
    const auto level = static_cast<std::size_t>(sample.level());
    HeldOut& of = errors[sample.is_single ? 1 : 0];
    of.energy[level].push_back((estimate->energy_j - sample.raw_energy_j()) / estimate->energy_j);
    of.time[level].push_back((estimate->time_s - sample.time_s) / estimate->time_s);
    if (level == kMl) {
      HeldOut& kind = by_kind[static_cast<std::size_t>(kernel_kind(sample.kernels.front().work))];
      kind.energy[kMl].push_back(of.energy[kMl].back());
      kind.time[kMl].push_back(of.time[kMl].back());
    }
    sum[level] += std::abs(estimate->energy_j / sample.energy_j - 1);
    count[level] += 1;
  }
  const auto known = static_cast<std::size_t>(Known::kNothing);
  predictor.spreads[known] = spread_of(errors[0]);
  if (has_single) predictor.single_spread = spread_of(errors[1]);
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    if (by_kind[k].energy[kMl].size() < kEnoughKernels || !predictor.kinds[k]) continue;
    const Spread spread = spread_of(by_kind[k]);
    predictor.kinds[k]->energy_spread = spread.energy[kMl];
    predictor.kinds[k]->time_spread = spread.time[kMl];
  }
  if (!has_half) predictor.spreads[known] = predictor.single_spread;
  const auto mean = [&](std::size_t l) { return count[l] > 0 ? 100 * sum[l] / count[l] : 0; };
  predictor.errors[known] = Predictor::Errors{mean(kMl), mean(kModule), mean(kModel)};
  predictor.dtypes.clear();
  if (has_single) predictor.dtypes.emplace_back("fp32");
  if (has_half) predictor.dtypes.emplace_back("bf16");
  return predictor;
}

}  // namespace wattree
