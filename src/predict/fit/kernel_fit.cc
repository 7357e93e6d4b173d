#include "src/predict/fit/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_set>

#include "src/predict/fit/host_fit.h"
#include "src/predict/regress/median.h"
#include "src/predict/regress/relative_fit.h"

namespace wattree {
namespace {

// Passes are what people run; a module or a kernel by itself runs with other caches and clocks.
constexpr double kPassWeight = 6;
constexpr double kAssumedWeight = 0.05;
constexpr double kExponentStep = 0.025;

// Where each kind's terms begin in a row, for the kinds of the list of kernels.
class Columns {
 public:
  Columns() {
    for (std::size_t k = 0; k < kWorkKinds; ++k) {
      begin_[k] = count_;
      const KindFacts& kind = facts_of(static_cast<WorkKind>(k));
      if (kind.list != KindList::kNodes) count_ += kind.terms.size();
    }
  }
  std::size_t count() const { return count_; }
  std::size_t begin(WorkKind kind) const { return begin_[static_cast<std::size_t>(kind)]; }

 private:
  std::array<std::size_t, kWorkKinds> begin_{};
  std::size_t count_ = 0;
};

Work as_kernel(const Work& work, const Chip& chip) {
  return seen_as(work, kernel_kind(work, chip));
}

// What a kernel is made of: its kind, and what it takes besides.
template <class Visit>
void for_each_part(const Work& work, const Chip& chip, const Visit& visit) {
  visit(as_kernel(work, chip));
  for (const WorkKind extra : kExtras) {
    if (takes_besides(work, extra)) visit(seen_as(work, extra));
  }
}

bool fetches_weights(const KernelSample& sample, const Chip& chip) {
  return sample.weight_mib > chip.cache_mib;
}

// A kernel as it ran in this sample.
Work in_place(Work work, const KernelSample& sample, const Chip& chip) {
  work.fetches_weight = fetches_weights(sample, chip) && has_weight(work);
  return work;
}

std::vector<double> row_of(const KernelSample& sample, const Columns& columns, const Chip& chip) {
  std::vector<double> row(columns.count());
  double kernels = 0;
  double fetches = 0;
  for (const auto& [work, count] : sample.kernels) {
    const Work placed = in_place(work, sample, chip);
    for_each_part(placed, chip, [&, times = count](const Work& part) {
      const Terms terms = count_terms(part, chip);
      const std::size_t begin = columns.begin(part.kind);
      const std::size_t size = terms_of(part.kind).size();
      for (std::size_t t = 0; t < size; ++t) row[begin + t] += times * terms[t];
    });
    kernels += count;
    if (placed.fetches_weight) fetches += count;
  }
  // A kernel by itself follows its own copies, and what it needs is there.
  if (sample.subject != KernelSample::Subject::kKernel)
    row[columns.begin(WorkKind::kFollow)] = kernels;
  row[columns.begin(WorkKind::kFetch)] = fetches;
  return row;
}

// At the limit a measurement tells how the clock fell, not what the work takes.
bool is_fit_for_prices(const KernelSample& sample) {
  if (sample.is_eager || sample.is_capped || sample.energy.value <= 0 || sample.time.value <= 0) {
    return false;
  }
  if (!sample.is_cold || sample.subject != KernelSample::Subject::kKernel) return true;
  // Kernels find their activations in the cache when they run in a model. For products of fp32,
  // which are bound by arithmetic, it makes no difference, and they are few.
  const WorkKind kind = sample.kernels.front().work.kind;
  return sample.is_single &&
         (kind == WorkKind::kGemm || kind == WorkKind::kMatmul || kind == WorkKind::kAttention);
}

// Without products that find their weight in the cache, what fetching one takes cannot be told from
// what the product itself does.
bool has_weights_that_stay(const KernelData& data, const Chosen& chosen) {
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!chosen[i] || !is_fit_for_prices(sample) || fetches_weights(sample, data.chip)) continue;
    for (const auto& kernel : sample.kernels) {
      if (has_weight(kernel.work)) return true;
    }
  }
  return false;
}

// Kernels that are told apart by the list of kernels.
class KernelSet {
 public:
  void add(const KernelSample& sample) {
    for (const auto& kernel : sample.kernels) keys_.insert(key_of(kernel.work));
  }
  bool has(const Work& work) const { return keys_.contains(key_of(work)); }

 private:
  static std::uint64_t key_of(const Work& work) {
    std::uint64_t hash = hash_of({}, seen_as(work, kernel_kind(work)));
    hash = hash * 31 + static_cast<std::uint64_t>(work.elements);
    return hash * 4 + (work.is_strided ? 2U : 0U) + (work.is_transposed ? 1U : 0U);
  }
  std::unordered_set<std::uint64_t> keys_;
};

void fit_cap(const KernelData& data, const Chosen& chosen, Predictor& predictor) {
  if (data.limit_w <= 0) return;
  std::vector<const KernelSample*> capped;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (chosen[i] && sample.is_capped && sample.is_pass() && !sample.is_eager) {
      capped.push_back(&sample);
    }
  }
  PowerCap best{data.limit_w, 0.5, static_cast<std::int64_t>(capped.size())};
  double least = std::numeric_limits<double>::infinity();
  std::vector<SampleEstimate> free;
  for (const KernelSample* sample : capped) free.push_back(predict_sample(predictor, *sample));
  for (double exponent = 0; !capped.empty() && exponent <= 1; exponent += kExponentStep) {
    predictor.power_cap = PowerCap{data.limit_w, exponent, best.samples};
    double error = 0;
    for (std::size_t i = 0; i < capped.size(); ++i) {
      const Capped factor = cap_of(predictor, free[i].energy, free[i].time);
      error += std::abs(free[i].time * factor.time / capped[i]->time - 1) +
               std::abs(free[i].energy * factor.energy / capped[i]->energy - 1);
    }
    if (error < least) {
      least = error;
      best.exponent = exponent;
    }
  }
  predictor.power_cap = best;
}

// What each kernel of a sample takes, with all that it takes besides.
template <class Visit>
void for_each_price(const Predictor& predictor, const KernelSample& sample, const Visit& visit) {
  const Neighbours neighbours{.is_behind_another = sample.subject != KernelSample::Subject::kKernel,
                              .is_rested = sample.is_rested};
  for (const auto& [work, count] : sample.kernels) {
    visit(price_among(predictor, in_place(work, sample, predictor.chip), neighbours), count);
  }
}

}  // namespace

SampleEstimate predict_sample(const Predictor& predictor, const KernelSample& sample) {
  SampleEstimate sum;
  for_each_price(predictor, sample, [&](const Price& price, double count) {
    sum.energy += price.energy * count;
    sum.time += price.time * count;
  });
  if (sample.is_rested) return sum;
  const Capped factor = cap_of(predictor, sum.energy, sum.time);
  return {sum.energy * factor.energy, sum.time * factor.time};
}

std::vector<PricedKernel> price_kernels(const Predictor& predictor, const KernelSample& sample) {
  std::vector<PricedKernel> out;
  out.reserve(sample.kernels.size());
  for_each_price(predictor, sample, [&](const Price& price, double count) {
    out.push_back({price, count});
  });
  return out;
}

KernelSpread spread_of_kernels(const Predictor& predictor, const KernelSample& sample) {
  SampleEstimate sum;
  KernelSpread half;
  for_each_price(predictor, sample, [&](const Price& price, double count) {
    const KernelSpread spread = spread_of_kernel(predictor, price, sample.is_single);
    sum.energy += price.energy * count;
    sum.time += price.time * count;
    half.energy += count * price.energy.value * spread.energy;
    half.time += count * price.time.value * spread.time;
  });
  return {sum.energy.value > 0 ? half.energy / sum.energy.value : 0,
          sum.time.value > 0 ? half.time / sum.time.value : 0};
}

Result<Predictor> fit_kernels(const KernelData& data, const Chosen& chosen) {
  const Columns columns;
  Predictor predictor;
  predictor.is_by_kernel = true;
  predictor.hardware = data.hardware;
  predictor.meter = data.meter;
  predictor.boundary = "gpu";
  predictor.chip = data.chip;
  predictor.idle_w = data.idle_w;
  predictor.anchor = data.anchor;

  Rows rows(columns.count());
  std::vector<double> energy;
  std::vector<double> time;
  std::vector<double> weight;
  const bool tells_fetches = has_weights_that_stay(data, chosen);
  std::array<Coefficients, kWorkKinds> kinds{};
  for (Coefficients& kind : kinds) kind.least.fill(std::numeric_limits<double>::infinity());
  std::array<bool, kWorkKinds> is_there{};
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!chosen[i] || !is_fit_for_prices(sample)) continue;
    std::vector<double> row = row_of(sample, columns, data.chip);
    double& fetches = row[columns.begin(WorkKind::kFetch)];
    if (!tells_fetches) fetches = 0;
    kinds[static_cast<std::size_t>(WorkKind::kFetch)].samples += fetches > 0 && !sample.is_assumed;
    rows.add(row);
    energy.push_back(sample.energy.value);
    time.push_back(sample.time.value);
    weight.push_back(sample.is_assumed ? kAssumedWeight : sample.is_pass() ? kPassWeight : 1);
    std::array<bool, kWorkKinds> seen{};
    for (const auto& kernel : sample.kernels) {
      for_each_part(in_place(kernel.work, sample, data.chip), data.chip, [&](const Work& part) {
        Coefficients& kind = kinds[static_cast<std::size_t>(part.kind)];
        const Terms terms = count_terms(part, data.chip);
        for (std::size_t t = 0; t < kMaxTerms; ++t) {
          kind.least[t] = std::min(kind.least[t], terms[t]);
          kind.most[t] = std::max(kind.most[t], terms[t]);
        }
        is_there[static_cast<std::size_t>(part.kind)] = true;
        const bool is_seen = std::exchange(seen[static_cast<std::size_t>(part.kind)], true);
        kind.samples += !is_seen && !sample.is_assumed;
      });
    }
  }
  if (energy.empty()) {
    return Error{ErrorCode::kInvalidInput, "no measurement to fit prices to",
                 "measure some kernels or passes below the power limit first"};
  }
  const auto fitted = [&](const std::vector<double>& target) {
    std::vector<double> scale(target.size());
    for (std::size_t i = 0; i < target.size(); ++i) scale[i] = target[i] / weight[i];
    return fit_relative(rows, target, scale);
  };
  predictor.measurements = std::count_if(weight.begin(), weight.end(),
                                         [](double each) { return each != kAssumedWeight; });
  const std::vector<double> joules = fitted(energy);
  const std::vector<double> seconds = fitted(time);
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    const auto kind = static_cast<WorkKind>(k);
    if (kind == WorkKind::kFollow) kinds[k].samples = predictor.measurements;
    if (kinds[k].samples == 0 && !is_there[k]) continue;
    if (kind == WorkKind::kFollow || kind == WorkKind::kFetch) kinds[k].least.fill(0);
    for (std::size_t t = 0; t < terms_of(kind).size(); ++t) {
      kinds[k].energy[t] = joules[columns.begin(kind) + t];
      kinds[k].time[t] = seconds[columns.begin(kind) + t];
    }
    predictor.kinds[k] = kinds[k];
  }
  fit_cap(data, chosen, predictor);
  fit_host(data, chosen, predictor);
  return predictor;
}

namespace {

// The single kernels that `out` has nothing of, by kind, from the shortest to the longest.
std::map<WorkKind, std::vector<std::size_t>> kernels_left(const KernelData& data,
                                                          const HeldOutSamples& out) {
  std::map<WorkKind, std::vector<std::size_t>> left;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (out[i] || sample.subject != KernelSample::Subject::kKernel || sample.is_assumed ||
        sample.is_eager) {
      continue;
    }
    left[kernel_kind(sample.kernels.front().work, data.chip)].push_back(i);
  }
  for (auto& [kind, indices] : left) {
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return data.samples[a].time.value < data.samples[b].time.value;
    });
  }
  return left;
}

// Kernels that belong to no model: of every kind a fifth at a time, those that take about as long,
// so that the others say what sizes beyond theirs take.
Status hold_out_regions(const KernelData& data, const Chosen& known, HeldOutSamples& out) {
  constexpr std::size_t kRegions = 5;
  const auto left = kernels_left(data, out);
  if (left.empty()) return {};
  for (std::size_t region = 0; region < kRegions; ++region) {
    Chosen chosen = known.empty() ? Chosen(data.samples.size(), true) : known;
    std::vector<std::size_t> held;
    for (const auto& [kind, indices] : left) {
      const std::size_t begin = indices.size() * region / kRegions;
      const std::size_t end = indices.size() * (region + 1) / kRegions;
      held.insert(held.end(), indices.begin() + static_cast<std::ptrdiff_t>(begin),
                  indices.begin() + static_cast<std::ptrdiff_t>(end));
    }
    KernelSet left_out;
    for (const std::size_t i : held) left_out.add(data.samples[i]);
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      const KernelSample& sample = data.samples[i];
      if (sample.subject == KernelSample::Subject::kKernel &&
          left_out.has(sample.kernels.front().work)) {
        chosen[i] = false;
      }
    }
    const Result<Predictor> predictor = fit_kernels(data, chosen);
    if (!predictor.ok()) return predictor.error();
    for (const std::size_t i : held) out[i] = predict_sample(predictor.value(), data.samples[i]);
  }
  return {};
}

}  // namespace

Result<HeldOutSamples> hold_out(const KernelData& data, LeaveOut what, const Chosen& known) {
  const auto group_of = [&](const KernelSample& sample) {
    return what == LeaveOut::kModel ? sample.model : sample.family;
  };
  const std::size_t groups = what == LeaveOut::kModel ? data.models.size() : data.families.size();
  HeldOutSamples out(data.samples.size());
  for (std::size_t g = 0; g < groups; ++g) {
    KernelSet left_out;
    for (const KernelSample& sample : data.samples) {
      if (group_of(sample) == static_cast<std::int32_t>(g)) left_out.add(sample);
    }
    Chosen chosen(data.samples.size());
    Chosen seen(data.samples.size());
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      const KernelSample& sample = data.samples[i];
      seen[i] = sample.subject == KernelSample::Subject::kKernel
                    ? !left_out.has(sample.kernels.front().work)
                    : group_of(sample) != static_cast<std::int32_t>(g);
      chosen[i] = seen[i] && (known.empty() || known[i]);
    }
    const Result<Predictor> predictor = fit_kernels(data, chosen);
    if (!predictor.ok()) return predictor.error();
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      if (!seen[i] && !out[i] && !data.samples[i].is_eager) {
        out[i] = predict_sample(predictor.value(), data.samples[i]);
      }
    }
  }
  if (const Status failure = hold_out_regions(data, known, out); !failure.ok()) {
    return failure.error();
  }
  return out;
}

}  // namespace wattree
