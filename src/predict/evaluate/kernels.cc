#include "src/predict/evaluate/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "src/base/random.h"
#include "src/predict/fit/host_fit.h"
#include "src/predict/predictor/mixture.h"
#include "src/predict/regress/mean.h"

namespace wattree {
namespace {

constexpr double kShortModule = 20e-6;  // Seconds: below it the gaps between kernels are all.
constexpr double kCoverage = 0.9;
constexpr int kBootstraps = 2000;

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at =
      std::min(values.size() - 1,
               static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) -
                   (share > 0 ? 1U : 0U));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// A sample and what was predicted of it.
struct Pair {
  const KernelSample* sample;
  SampleEstimate estimate;
  std::int32_t group;
  // What the intervals of its kernels add up to, of a pass.
  double spread_of_kernels = 1;
  Mixture::Summary made_of;  // Of a module or a pass.
  double energy_error() const { return 100 * (estimate.energy / sample->energy - 1); }
  double time_error() const { return 100 * (estimate.time / sample->time - 1); }
  // As an interval sees it: relative to the prediction, on the sample's own card.
  double miss() const {
    return std::abs((sample->raw_energy() - estimate.energy) / estimate.energy);
  }
  int kind() const { return kind_at(sample->level()); }  // What intervals are told apart by.
  int kind_at(TreeLevel level) const { return 2 * static_cast<int>(level) + sample->is_single; }
};

// What a module is made of, as a tree's prediction sees it.
Mixture::Summary made_of(const Predictor& predictor, const KernelSample& sample) {
  Mixture mixture;
  std::size_t i = 0;
  for (const auto& [price, count] : price_kernels(predictor, sample)) {
    mixture.add(i++, price.energy.value * count,
                spread_of_kernel(predictor, price, sample.is_single).energy);
  }
  return mixture.summary();
}

// Of the energy: what kernels take whose prices are of other kinds or sizes.
double stand_in_share(const Predictor& predictor, const KernelSample& sample) {
  double stood_in_j = 0;
  double sum_j = 0;
  for (const auto& [price, count] : price_kernels(predictor, sample)) {
    const double energy_j = price.energy.value * count;
    sum_j += energy_j;
    if (price.is_stand_in || price.is_far) stood_in_j += energy_j;
  }
  return sum_j > 0 ? stood_in_j / sum_j : 0;
}

double half_of_module(double whole, double share_of_kernels, const Mixture::Summary& made_of) {
  return half_of_mixture(std::max(whole, share_of_kernels * made_of.halves), made_of.halves,
                         made_of.concentration);
}

// Half of the interval around a prediction, relative to it.
using HalfWidth = std::function<double(const Pair&)>;

// The half-widths that the other groups' errors give, by group and kind.
class OtherGroups {
 public:
  explicit OtherGroups(const std::vector<Pair>& all) {
    for (const Pair& pair : all) {
      misses_[pair.kind()].push_back(
          {pair.group, pair.miss(), pair.miss() / pair.spread_of_kernels});
    }
  }
  double half_width(const Pair& pair) {
    if (pair.sample->level() == TreeLevel::kModule) {
      const Widths& passes = widths_of(pair.group, pair.kind_at(TreeLevel::kModel));
      return half_of_module(passes.least, passes.share, pair.made_of);
    }
    const Widths& widths = widths_of(pair.group, pair.kind());
    const double half = std::max(widths.least, widths.share * pair.spread_of_kernels);
    if (!pair.sample->is_pass()) return half;
    return half_of_mixture(half, pair.spread_of_kernels, pair.made_of.concentration);
  }

 private:
  struct Miss {
    std::int32_t group;
    double relative;
    double of_kernels;
  };
  struct Widths {
    double least = 0;
    double share = 0;  // Of what the intervals of kernels add up to.
  };

  const Widths& widths_of(std::int32_t group, int kind) {
    const auto [it, is_new] = known_.try_emplace(std::pair(kind, group));
    if (!is_new) return it->second;
    std::vector<double> relative;
    std::vector<double> of_kernels;
    for (const Miss& miss : misses_[kind]) {
      if (miss.group == group) continue;
      relative.push_back(miss.relative);
      of_kernels.push_back(miss.of_kernels);
    }
    it->second = {quantile(std::move(relative), kCoverage),
                  quantile(std::move(of_kernels), kCoverage)};
    return it->second;
  }

  std::map<int, std::vector<Miss>> misses_;
  std::map<std::pair<int, std::int32_t>, Widths> known_;
};

KernelErrors summary_of(const std::vector<const Pair*>& pairs, const HalfWidth& half_width) {
  KernelErrors out;
  out.count = static_cast<std::int64_t>(pairs.size());
  if (pairs.empty()) return out;
  std::vector<double> energy;
  std::vector<double> time;
  double weighted = 0;
  double weight = 0;
  double inside = 0;
  for (const Pair* pair : pairs) {
    const double error = pair->energy_error();
    energy.push_back(std::abs(error));
    time.push_back(std::abs(pair->time_error()));
    out.bias += error / static_cast<double>(pairs.size());
    weighted += std::abs(error) * pair->sample->energy.value;
    weight += pair->sample->energy.value;
    const double half = half_width(*pair);
    inside += pair->miss() <= half;
    out.width += 100 * half / static_cast<double>(pairs.size());
  }
  out.mean = mean(energy);
  out.weighted = weighted / weight;
  out.p50 = quantile(energy, 0.5);
  out.p90 = quantile(energy, 0.9);
  out.p99 = quantile(energy, 0.99);
  out.time_mean = mean(time);
  out.time_p99 = quantile(time, 0.99);
  out.coverage = 100 * inside / static_cast<double>(pairs.size());
  return out;
}

// A name for every group of pairs, in the order of the names.
template <class NameOf>
NamedErrors errors_by(const std::vector<Pair>& pairs, const HalfWidth& half_width, NameOf name_of) {
  std::map<std::string, std::vector<const Pair*>> groups;
  for (const Pair& pair : pairs) {
    if (const auto name = name_of(pair)) groups[*name].push_back(&pair);
  }
  NamedErrors out;
  for (const auto& [name, members] : groups)
    out.emplace_back(name, summary_of(members, half_width));
  return out;
}

// A pass or step as a graph.
bool is_replayed(const Pair& pair) { return pair.sample->is_pass() && !pair.sample->is_eager; }
bool is_whole_pass(const Pair& pair) {
  return is_replayed(pair) && pair.sample->subject == KernelSample::Subject::kPass;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = static_cast<double>(i);
  return out;
}

double rank_correlation(const std::vector<Pair>& pairs) {
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const Pair& pair : pairs) {
    if (!is_whole_pass(pair)) continue;
    measured.push_back(pair.sample->energy.value);
    predicted.push_back(pair.estimate.energy.value);
  }
  const auto n = static_cast<double>(measured.size());
  if (n < 3) return 0;
  const std::vector<double> a = ranks(measured);
  const std::vector<double> b = ranks(predicted);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return 1 - 6 * squares / (n * (n * n - 1));
}

// Models are drawn with replacement: passes of one model err alike.
std::pair<double, double> bootstrap_of_mean(const std::vector<Pair>& pairs) {
  std::map<std::int32_t, std::vector<double>> by_model;
  for (const Pair& pair : pairs) {
    if (is_whole_pass(pair)) {
      by_model[pair.sample->model].push_back(std::abs(pair.energy_error()));
    }
  }
  std::vector<const std::vector<double>*> models;
  for (const auto& [model, errors] : by_model) models.push_back(&errors);
  if (models.empty()) return {};
  Random random(1);
  std::vector<double> means;
  for (int i = 0; i < kBootstraps; ++i) {
    double sum = 0;
    double count = 0;
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto& drawn = *models[random.next() % models.size()];
      sum += std::accumulate(drawn.begin(), drawn.end(), 0.0);
      count += static_cast<double>(drawn.size());
    }
    means.push_back(sum / count);
  }
  return {quantile(means, 0.05), quantile(means, 0.95)};
}

std::optional<std::string> subject_name(const Pair& pair) {
  if (pair.sample->is_eager) return "5 passes and steps launched one by one";
  switch (pair.sample->subject) {
    case KernelSample::Subject::kPass: return "1 whole passes";
    case KernelSample::Subject::kStep: return "2 decode steps";
    case KernelSample::Subject::kModule:
      if (pair.sample->time.value < kShortModule) return std::nullopt;
      return "3 modules of 20 µs and more";
    case KernelSample::Subject::kKernel: return "4 single kernels";
  }
  return std::nullopt;
}

std::optional<std::string> dtype_name(const Pair& pair) {
  if (!is_replayed(pair)) return std::nullopt;
  const bool is_step = pair.sample->subject == KernelSample::Subject::kStep;
  return pair.sample->dtype + (is_step ? ", steps" : "");
}

void add_errors(const std::vector<Pair>& pairs, const HalfWidth& half_width,
                const std::vector<std::string>& groups, KernelEvaluation& out) {
  out.by_subject = errors_by(pairs, half_width, subject_name);
  for (auto& [name, errors] : out.by_subject) name.erase(0, 2);
  out.by_group = errors_by(pairs, half_width, [&](const Pair& pair) -> std::optional<std::string> {
    if (!is_replayed(pair)) return std::nullopt;
    return groups[static_cast<std::size_t>(pair.group)];
  });
  out.by_dtype = errors_by(pairs, half_width, dtype_name);
  out.by_time = errors_by(pairs, half_width, [](const Pair& pair) -> std::optional<std::string> {
    if (!is_whole_pass(pair)) return std::nullopt;
    const double time = pair.sample->time.value;
    return time < 1e-3 ? "1 below 1 ms" : time < 5e-3 ? "2 1 to 5 ms" : "3 5 ms and more";
  });
  for (auto& [name, errors] : out.by_time) name.erase(0, 2);
  out.by_kind = errors_by(pairs, half_width, [](const Pair& pair) -> std::optional<std::string> {
    if (!pair.sample->is_pass() || pair.sample->plan.empty()) return std::nullopt;
    return pair.sample->plan;
  });
  out.rank_correlation = rank_correlation(pairs);
  out.mean_range = bootstrap_of_mean(pairs);
}

}  // namespace

Result<KernelEvaluation> evaluate_kernels(const KernelData& data, LeaveOut what) {
  auto held_out = hold_out(data, what);
  if (!held_out.ok()) return held_out.error();
  KernelEvaluation out;
  out.left_out = what;
  out.estimates = std::move(held_out).value();
  Result<Predictor> fitted = fit_kernels(data, Chosen(data.samples.size(), true));
  if (!fitted.ok()) return fitted.error();
  Predictor all = std::move(fitted).value();
  set_intervals(data, out.estimates, all);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!out.estimates[i] || !sample.is_as_in_a_pass()) continue;
    // A kernel by itself belongs to no group: each is one of its own.
    const std::int32_t group = sample.subject == KernelSample::Subject::kKernel
                                   ? -1 - static_cast<std::int32_t>(i)
                               : what == LeaveOut::kModel ? sample.model
                                                          : sample.family;
    Pair& pair = pairs.emplace_back(Pair{&sample, *out.estimates[i], group, 1, {}});
    if (sample.level() == TreeLevel::kMl) continue;
    pair.made_of = made_of(all, sample);
    if (!sample.is_pass()) continue;
    const double spread = spread_of_kernels(all, sample).energy;
    if (spread > 0) pair.spread_of_kernels = spread;
  }
  OtherGroups others(pairs);
  add_errors(
      pairs, [&](const Pair& pair) { return others.half_width(pair); },
      what == LeaveOut::kModel ? data.models : data.families, out);
  return out;
}

KernelEvaluation check_predictor(const KernelData& data, const Predictor& predictor) {
  KernelEvaluation out;
  std::vector<KernelSample> samples = data.samples;
  std::vector<Pair> pairs;
  std::vector<double> card_factors;  // By pair.
  for (KernelSample& sample : samples) {
    const double card_factor = sample.card_factor;
    sample.energy = sample.raw_energy();
    sample.card_factor = 1;
    // What launching takes is the host's, which the predictor may know.
    const bool is_comparable =
        sample.is_eager ? predictor.eager.has_value() : sample.is_as_in_a_pass();
    out.estimates.push_back(sample.is_eager && is_comparable ? predict_launched(predictor, sample)
                                                             : predict_sample(predictor, sample));
    if (!is_comparable) continue;
    pairs.push_back({&sample, *out.estimates.back(), sample.model, 1, {}});
    card_factors.push_back(card_factor);
  }
  const HalfWidth of_known_kinds = [&](const Pair& pair) {
    const Spread spread = predictor.spread_of_unknown(pair.sample->is_single);
    const auto level = static_cast<std::size_t>(pair.sample->level());
    if (pair.sample->level() == TreeLevel::kModule) {
      return half_of_module(spread.energy[static_cast<std::size_t>(TreeLevel::kModel)],
                            spread.energy_of_kernels, made_of(predictor, *pair.sample));
    }
    const double kernels = spread_of_kernels(predictor, *pair.sample).energy;
    if (!pair.sample->is_pass()) return kernels;
    const double half =
        half_of_mixture(std::max(spread.energy[level], spread.energy_of_kernels * kernels), kernels,
                        made_of(predictor, *pair.sample).concentration);
    if (!pair.sample->is_eager) return half;
    return half + spread_of_launched(predictor, *pair.sample).energy;
  };
  const HalfWidth half_width = [&](const Pair& pair) {
    const double stood_in = stand_in_share(predictor, *pair.sample);
    return std::min(1.0, of_known_kinds(pair) + kStandInSpread * stood_in);
  };
  add_errors(pairs, half_width, data.models, out);
  if (data.hardware != predictor.hardware || !data.anchor.is_like(predictor.anchor)) return out;
  const double middle = data.anchor.energy / predictor.anchor.energy;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i].estimate.energy *= middle * card_factors[i];
  out.over_anchor = errors_by(pairs, half_width, dtype_name);
  return out;
}

}  // namespace wattree
