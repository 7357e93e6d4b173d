#include "src/predict/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "src/predict/regress/median.h"
#include "src/predict/regress/relative_fit.h"

namespace wattree {
namespace {

constexpr double kCoverage = 0.9;

// Of common GPUs. Products tell neighbours hardly apart, so a finer list would only fit noise.
constexpr int kProcessorCounts[] = {10, 15, 20, 28, 46, 68, 80, 108, 132};

// Whatever kind stands in for an element-wise term: the price per MiB, or per call.
std::size_t overhead_index(WorkKind kind) {
  const auto* it = std::find(kOverheadKinds.begin(), kOverheadKinds.end(), kind);
  return it == kOverheadKinds.end() ? 1 : static_cast<std::size_t>(it - kOverheadKinds.begin());
}

// What makes two rows the same measurement.
struct MeasurementKey {
  std::int32_t model, type;
  double energy, time, gpu, what;
  auto operator<=>(const MeasurementKey&) const = default;
};
struct MeasurementHash {
  std::size_t operator()(const MeasurementKey& k) const {
    const std::hash<double> h;
    return h(k.energy) ^ (h(k.time) * 31) ^ (h(k.gpu) * 131) ^ (h(k.what) * 1031) ^
           (static_cast<std::size_t>(k.model) << 32) ^ static_cast<std::size_t>(k.type);
  }
};

bool is_left_out(const LeftOut& left_out, std::int32_t model) {
  return static_cast<std::size_t>(model) < left_out.size() &&
         left_out[static_cast<std::size_t>(model)];
}

// Coefficients of one kind for one target, and the mean relative error they leave.
struct Fitted {
  Terms coefficients{};
  double error = 0;
};
Fitted fit_kind(const std::vector<const Samples::Leaf*>& leaves, WorkKind kind, int processors,
                bool time) {
  const std::size_t columns = terms_of(kind).size();
  Rows rows(columns);
  std::vector<double> target;
  for (const Samples::Leaf* leaf : leaves) {
    const double value = time ? leaf->time.value_or(Seconds()).value : leaf->energy.value;
    if (value <= 0) continue;
    const Terms terms = count_terms(leaf->work, Chip{.processors = processors});
    rows.add(std::span(terms).first(columns));
    target.push_back(value);
  }
  Fitted fitted;
  if (target.empty()) return fitted;
  const std::vector<double> c = fit_relative(rows, target, target);
  std::copy(c.begin(), c.end(), fitted.coefficients.begin());
  for (std::size_t i = 0; i < target.size(); ++i) {
    double value = 0;
    for (std::size_t j = 0; j < columns; ++j) value += c[j] * rows[i][j];
    fitted.error += std::abs(value / target[i] - 1);
  }
  fitted.error /= static_cast<double>(target.size());
  return fitted;
}

// Waves show in the time, where there is one.
int best_processors(const std::vector<const Samples::Leaf*>& products) {
  const bool is_timed =
      std::all_of(products.begin(), products.end(),
                  [](const Samples::Leaf* leaf) { return leaf->time.has_value(); });
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const int processors : kProcessorCounts) {
    const double error = fit_kind(products, WorkKind::kGemm, processors, is_timed).error;
    if (error < least) {
      least = error;
      best = processors;
    }
  }
  return best;
}

// The smallest size that `kCoverage` of the errors do not exceed; 0 for none.
double quantile(std::vector<double>& values) {
  if (values.empty()) return 0;
  for (double& value : values) value = std::abs(value);
  const auto rank = std::min(
      values.size() - 1,
      static_cast<std::size_t>(std::ceil(kCoverage * static_cast<double>(values.size() + 1))) - 1);
  const auto it = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), it, values.end());
  return *it;
}

void fit_overhead(const Samples& samples, const LeftOut& left_out, bool with_times,
                  Predictor& predictor) {
  std::array<double, 5> total{};
  std::int64_t count = 0;
  for (const Samples::Inner& inner : samples.inner()) {
    if (is_left_out(left_out, inner.model)) continue;
    ++count;
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += inner.terms[j];
  }
  if (count == 0) return;
  for (const bool time : {false, true}) {
    if (time && !with_times) break;
    Rows rows(kOverheadKinds.size());
    std::vector<double> target;
    std::vector<double> scale;
    for (const Samples::Inner& inner : samples.inner()) {
      if (is_left_out(left_out, inner.model)) continue;
      const double value = time ? inner.time.value : inner.energy.value;
      const double leaves = time ? inner.leaves_time.value : inner.leaves_energy.value;
      if (value <= 0 || (time && leaves <= 0)) continue;
      rows.add(inner.terms);
      target.push_back(value - leaves);
      scale.push_back(value);
    }
    if (target.empty()) continue;
    const std::vector<double> c = fit_relative(rows, target, scale);
    for (std::size_t j = 0; j < kOverheadKinds.size(); ++j) {
      if (total[j] <= 0) continue;  // Never seen: another kind stands in.
      auto& kind = predictor.kinds[static_cast<std::size_t>(kOverheadKinds[j])];
      if (!kind) kind = Coefficients{};
      (time ? kind->time : kind->energy)[0] = c[j];
      kind->samples = static_cast<std::int64_t>(target.size());
    }
  }
}

void fit_power_law(const Samples& samples, const LeftOut& left_out, Predictor& predictor) {
  Rows rows(3);
  std::vector<double> target;
  for (const Samples::Node& node : samples.nodes()) {
    if (is_left_out(left_out, node.model)) continue;
    rows.add(std::array{node.reading.gpu_energy.value, node.reading.time.value,
                        node.reading.cpu_percent * node.reading.time.value});
    target.push_back(node.energy.value);
  }
  if (target.empty()) return;
  const std::vector<double> c = fit_relative(rows, target, target);
  predictor.power_law = PowerLaw{c[0], c[1], c[2], static_cast<std::int64_t>(target.size())};
}

void gather_twins(const Samples& samples, const LeftOut& left_out, Predictor& predictor) {
  struct Values {
    std::vector<double> energy, time;
  };
  std::unordered_map<std::uint64_t, std::vector<std::pair<const Samples::Leaf*, Values>>> groups;
  std::vector<std::uint64_t> order;
  const auto& types = samples.trees().types;
  for (const Samples::Leaf& leaf : samples.leaves()) {
    if (is_left_out(left_out, leaf.model)) continue;
    const std::uint64_t hash = hash_of(types[static_cast<std::size_t>(leaf.type)], leaf.work);
    auto& group = groups[hash];
    if (group.empty()) order.push_back(hash);
    auto it = std::find_if(group.begin(), group.end(), [&](const auto& g) {
      return g.first->type == leaf.type && g.first->work == leaf.work;
    });
    if (it == group.end()) it = group.insert(group.end(), {&leaf, {}});
    it->second.energy.push_back(leaf.energy.value);
    if (leaf.time) it->second.time.push_back(leaf.time->value);
  }
  for (const std::uint64_t hash : order) {
    for (const auto& [leaf, values] : groups[hash]) {
      predictor.twins.push_back({types[static_cast<std::size_t>(leaf->type)], leaf->work,
                                 Joules(median(values.energy)),
                                 Seconds(values.time.empty() ? 0.0 : median(values.time)),
                                 static_cast<std::int64_t>(values.energy.size())});
    }
  }
}

}  // namespace

Samples::Samples(const WorkTrees& trees) : trees_(&trees) {
  std::unordered_set<MeasurementKey, MeasurementHash> seen;
  for (const WorkTree& tree : trees.trees) {
    const std::size_t count = tree.nodes.size();
    std::vector<Inner> sums(count);
    std::vector<bool> is_complete(count, true);  // Every leaf below has its energy,
    std::vector<bool> is_timed(count, true);     // and its time.
    for (std::size_t i = 0; i < count; ++i) {
      const WorkNode& node = tree.nodes[i];
      const bool is_leaf = node.level == TreeLevel::kMl;
      const Seconds time = node.time.value_or(Seconds());
      const double gpu = node.reading ? node.reading->gpu_energy.value : 0;
      if (is_leaf) {
        sums[i].leaves_energy = node.energy.value_or(Joules());
        sums[i].leaves_time = time;
        is_complete[i] = node.energy.has_value();
        is_timed[i] = node.time.has_value();
      }
      for (std::uint32_t w = 0; !is_leaf && w < node.work_count; ++w) {
        const Work& work = tree.works[node.works + w];
        sums[i].terms[overhead_index(work.kind)] += count_terms(work, Chip{})[0];
      }
      if (node.energy) {
        // Copies of a layer differ in nothing but where they stand.
        const double what = is_leaf ? tree.works[node.works].bytes + tree.works[node.works].m
                                    : sums[i].leaves_energy.value;
        const MeasurementKey key{tree.model, node.type, node.energy->value, time.value, gpu, what};
        if (seen.insert(key).second) {
          if (is_leaf) {
            leaves_.push_back(
                {tree.model, node.type, tree.works[node.works], *node.energy, node.time});
          } else if (is_complete[i] && sums[i].leaves_energy > Joules()) {
            Inner inner = sums[i];
            inner.model = tree.model;
            inner.energy = *node.energy;
            inner.time = is_timed[i] ? time : Seconds();
            inner_.push_back(inner);
          }
          if (node.reading) nodes_.push_back({tree.model, *node.energy, *node.reading});
        }
      }
      if (node.parent >= 0) {
        const auto parent = static_cast<std::size_t>(node.parent);
        sums[parent].leaves_energy += sums[i].leaves_energy;
        sums[parent].leaves_time += sums[i].leaves_time;
        for (std::size_t j = 0; j < sums[i].terms.size(); ++j) {
          sums[parent].terms[j] += sums[i].terms[j];
        }
        is_complete[parent] = is_complete[parent] && is_complete[i];
        is_timed[parent] = is_timed[parent] && is_timed[i];
      }
    }
  }
}

Result<Predictor> fit(const Samples& samples, const LeftOut& left_out, const FitOptions& options) {
  Predictor predictor;
  std::array<std::vector<const Samples::Leaf*>, kWorkKinds> by_kind;
  for (const Samples::Leaf& leaf : samples.leaves()) {
    if (is_left_out(left_out, leaf.model)) continue;
    by_kind[static_cast<std::size_t>(leaf.work.kind)].push_back(&leaf);
    ++predictor.measurements;
  }
  if (predictor.measurements == 0) {
    return Error{ErrorCode::kInvalidInput, "no leaf of the training trees has a measured energy",
                 "check ground_truth_energy in the dataset (wattree dataset stats shows what is "
                 "missing), and that the hold-out leaves something to train on"};
  }
  const auto& products = by_kind[static_cast<std::size_t>(WorkKind::kGemm)];
  predictor.chip.processors = options.processors > 0 ? options.processors
                              : products.empty()     ? 1
                                                     : best_processors(products);
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (by_kind[i].empty()) continue;
    const auto kind = static_cast<WorkKind>(i);
    Coefficients c;
    c.energy = fit_kind(by_kind[i], kind, predictor.chip.processors, false).coefficients;
    if (options.with_times) {
      c.time = fit_kind(by_kind[i], kind, predictor.chip.processors, true).coefficients;
    }
    c.samples = static_cast<std::int64_t>(by_kind[i].size());
    c.least.fill(std::numeric_limits<double>::infinity());
    for (const Samples::Leaf* leaf : by_kind[i]) {
      const Terms terms = count_terms(leaf->work, predictor.chip);
      for (std::size_t t = 0; t < kMaxTerms; ++t) {
        c.least[t] = std::min(c.least[t], terms[t]);
        c.most[t] = std::max(c.most[t], terms[t]);
      }
    }
    predictor.kinds[i] = c;
  }
  fit_overhead(samples, left_out, options.with_times, predictor);
  fit_power_law(samples, left_out, predictor);
  gather_twins(samples, left_out, predictor);
  const WorkTrees& trees = samples.trees();
  for (std::size_t m = 0; m < trees.models.size(); ++m) {
    if (!is_left_out(left_out, static_cast<std::int32_t>(m))) {
      predictor.models.push_back(trees.models[m]);
    }
  }
  for (const WorkTree& tree : trees.trees) predictor.trees += !is_left_out(left_out, tree.model);
  return predictor;
}

void add_held_out(const Predictor& predictor, const Samples& samples, std::int32_t model,
                  const PredictOptions& options, HeldOut& out) {
  const TwinIndex index(predictor);
  const WorkTrees& trees = samples.trees();
  for (const WorkTree& tree : trees.trees) {
    if (tree.model != model) continue;
    const auto estimates = predict_tree(predictor, index, trees.types, tree, options);
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const WorkNode& node = tree.nodes[i];
      const DatasetEstimate& e = estimates[i];
      const bool twin = e.source == Source::kTwin;
      const auto level = static_cast<std::size_t>(node.level);
      if (node.energy && e.energy > Joules()) {
        (twin ? out.twin_energy : out.energy[level])
            .push_back((e.energy - *node.energy) / e.energy);
      }
      if (node.time && e.time > Seconds()) {
        (twin ? out.twin_time : out.time[level]).push_back((e.time - *node.time) / e.time);
      }
    }
  }
}

Spread spread_of(HeldOut held_out) {
  Spread spread;
  for (std::size_t level = 0; level < kTreeLevels; ++level) {
    spread.energy[level] = quantile(held_out.energy[level]);
    spread.time[level] = quantile(held_out.time[level]);
  }
  spread.twin_energy = quantile(held_out.twin_energy);
  spread.twin_time = quantile(held_out.twin_time);
  // Where all leaves had twins, the rest of them is no better known than modules are.
  if (held_out.energy[0].empty()) spread.energy[0] = std::max(spread.energy[1], spread.twin_energy);
  if (held_out.time[0].empty()) spread.time[0] = std::max(spread.time[1], spread.twin_time);
  return spread;
}

}  // namespace wattree
