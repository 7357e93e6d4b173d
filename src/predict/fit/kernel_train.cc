#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
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
  return estimate && !sample.is_assumed && sample.is_as_in_a_pass() &&
         estimate->energy > Joules() && estimate->time > Seconds();
}

// Of energy and time, relative to the estimate.
std::pair<double, double> error_of(const KernelSample& sample, const SampleEstimate& estimate) {
  return {(estimate.energy - sample.raw_energy()) / estimate.energy,
          (estimate.time - sample.time) / estimate.time};
}

// Estimates by fits that had not seen the sample: of families, and where there are, of kinds.
struct LeftOut {
  const HeldOutSamples& families;
  const HeldOutSamples* kinds = nullptr;

  // Of every sample that has an error, as often as it was left out.
  template <class Visit>
  void for_each(const KernelData& data, const Visit& visit) const {
    for (const HeldOutSamples* estimates : {&families, kinds}) {
      for (std::size_t i = 0; estimates != nullptr && i < data.samples.size(); ++i) {
        if (has_error(data.samples[i], (*estimates)[i])) visit(data.samples[i], *(*estimates)[i]);
      }
    }
  }
};

// Passes and steps of every kind of work that windows name, by a fit that has seen nothing of the
// kind: neither passes nor single kernels.
Result<HeldOutSamples> hold_out_kinds(const KernelData& data) {
  std::set<std::string> kinds;
  for (const KernelSample& sample : data.samples) {
    if (sample.is_pass() && !sample.is_eager && !sample.plan.empty()) kinds.insert(sample.plan);
  }
  HeldOutSamples out(data.samples.size());
  for (const std::string& kind : kinds) {
    Chosen chosen(data.samples.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = data.samples[i].plan != kind;
    const Result<Predictor> predictor = fit_kernels(data, chosen);
    if (!predictor.ok()) return predictor.error();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const KernelSample& sample = data.samples[i];
      if (chosen[i] || !sample.is_pass() || sample.is_eager) continue;
      out[i] = predict_sample(predictor.value(), sample);
    }
  }
  return out;
}

// The kind that more than half of a pass's energy goes to, and how much; nothing where none does.
std::optional<std::pair<WorkKind, double>> main_kind(const Predictor& predictor,
                                                     const KernelSample& sample) {
  std::array<double, kWorkKinds> by_kind{};
  double sum = 0;
  for (const auto& [work, count] : sample.kernels) {
    const Price price = price_of(predictor, work);
    by_kind[static_cast<std::size_t>(price.kind)] += count * price.energy.value;
    sum += count * price.energy.value;
  }
  const auto most = std::max_element(by_kind.begin(), by_kind.end());
  if (sum <= 0 || *most <= sum / 2) return std::nullopt;
  return std::pair(static_cast<WorkKind>(most - by_kind.begin()), *most / sum);
}

// Where the passes that consist mostly of one kind miss their intervals too often, the kind is
// known no better than they are: alone its kernels were easier than within them.
void widen_for_passes(const KernelData& data, const LeftOut& left_out, Predictor& predictor) {
  std::array<HeldOut, kWorkKinds> needed;   // Of the kind's interval, to hold the pass.
  std::array<HeldOut, kWorkKinds> overrun;  // Errors over the intervals that they have.
  left_out.for_each(data, [&](const KernelSample& sample, const SampleEstimate& estimate) {
    if (!sample.is_pass()) return;
    const auto kind = main_kind(predictor, sample);
    if (!kind) return;
    const Spread spread = predictor.spread_of_unknown(sample.is_single);
    const KernelSpread kernels = spread_of_kernels(predictor, sample);
    const auto [energy, time] = error_of(sample, estimate);
    const double energy_half =
        std::max(spread.energy[kModel], spread.energy_of_kernels * kernels.energy);
    const double time_half = std::max(spread.time[kModel], spread.time_of_kernels * kernels.time);
    if (energy_half <= 0 || time_half <= 0 || spread.energy_of_kernels <= 0 ||
        spread.time_of_kernels <= 0) {
      return;
    }
    const auto at = static_cast<std::size_t>(kind->first);
    overrun[at].energy[kModel].push_back(energy / energy_half);
    overrun[at].time[kModel].push_back(time / time_half);
    needed[at].energy[kModel].push_back(energy / (spread.energy_of_kernels * kind->second));
    needed[at].time[kModel].push_back(time / (spread.time_of_kernels * kind->second));
  });
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    if (overrun[k].energy[kModel].size() < kEnoughKernels || !predictor.kinds[k]) continue;
    Coefficients& kind = *predictor.kinds[k];
    const Spread over = spread_of(overrun[k]);
    const Spread need = spread_of(needed[k]);
    if (over.energy[kModel] > 1) {
      kind.energy_spread = std::max(kind.energy_spread, need.energy[kModel]);
    }
    if (over.time[kModel] > 1) kind.time_spread = std::max(kind.time_spread, need.time[kModel]);
  }
}

// Whose interval the errors of a single kernel tell: what it takes besides is known worse than the
// kernel itself, and is told apart.
WorkKind known_as(const KernelSample& sample, const Chip& chip) {
  const Work& work = sample.kernels.front().work;
  for (const WorkKind extra : kExtras) {
    if (takes_besides(work, extra)) return extra;
  }
  return kernel_kind(work, chip);
}

void set_intervals_from(const KernelData& data, const LeftOut& left_out, Predictor& predictor) {
  // Whoever asks has another card than the middle one: intervals are of what the cards took.
  std::array<HeldOut, 2> errors;  // 16 bits, fp32
  std::array<HeldOut, kWorkKinds> by_kind;
  left_out.for_each(data, [&](const KernelSample& sample, const SampleEstimate& estimate) {
    const auto level = static_cast<std::size_t>(sample.level());
    const auto [energy, time] = error_of(sample, estimate);
    HeldOut& of = errors[sample.is_single ? 1 : 0];
    of.energy[level].push_back(energy);
    of.time[level].push_back(time);
    if (level != kMl) return;
    HeldOut& kind = by_kind[static_cast<std::size_t>(known_as(sample, data.chip))];
    kind.energy[kMl].push_back(energy);
    kind.time[kMl].push_back(time);
  });
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
  left_out.for_each(data, [&](const KernelSample& sample, const SampleEstimate& estimate) {
    if (!sample.is_pass()) return;
    const KernelSpread kernels = spread_of_kernels(predictor, sample);
    if (kernels.energy <= 0 || kernels.time <= 0) return;
    const auto [energy, time] = error_of(sample, estimate);
    HeldOut& of = shares[sample.is_single ? 1 : 0];
    of.energy[kModel].push_back(energy / kernels.energy);
    of.time[kModel].push_back(time / kernels.time);
  });
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    const Spread share = spread_of(shares[s]);
    spreads[s].energy_of_kernels = share.energy[kModel];
    spreads[s].time_of_kernels = share.time[kModel];
  }
  keep();
  widen_for_passes(data, left_out, predictor);
}

}  // namespace

void set_intervals(const KernelData& data, const HeldOutSamples& held_out, Predictor& predictor) {
  set_intervals_from(data, {held_out}, predictor);
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
  const Result<HeldOutSamples> kinds = hold_out_kinds(data);
  if (!kinds.ok()) return kinds.error();
  set_intervals_from(data, {held_out.value(), &kinds.value()}, predictor);
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
    sum[level] += std::abs(estimate->energy.value / sample.energy.value - 1);
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
