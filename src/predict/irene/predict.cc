#include "src/predict/irene/predict.h"

#include <cmath>
#include <limits>
#include <set>

#include "src/base/text.h"
#include "src/predict/irene/inner.h"
#include "src/predict/irene/training.h"

namespace wattree {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// What went wrong, counted while predicting and said once.
struct Causes {
  std::set<std::string> unknown_types;
  std::int64_t incomplete_leaves = 0;
  std::int64_t unweighted = 0;
  std::int64_t not_finite = 0;
  std::int64_t negative = 0;
  std::int64_t without_features = 0;  // Inner nodes, where their own features make their energy.
  std::int64_t childless = 0;         // Inner nodes that have nothing to sum.
};

double predict_one_leaf(const IreneModel& model, const DatasetNode& node, const TreeRows& rows,
                        std::int32_t row, Causes& causes) {
  const auto leaf = model.leaves.find(node.instance_type);
  if (leaf == model.leaves.end()) {
    causes.unknown_types.insert(node.instance_type);
    return kAbsent;
  }
  if (row == kNoRow) {
    ++causes.incomplete_leaves;
    return kAbsent;
  }
  const double energy = predict_leaf(leaf->second, rows.row(as_index(row)));
  if (!std::isfinite(energy)) ++causes.not_finite;
  if (energy < 0) ++causes.negative;
  return energy;
}

std::vector<std::string> explain(const Causes& causes, std::string_view missing) {
  std::vector<std::string> out;
  const auto say = [&](std::int64_t count, const std::string& what) {
    if (count > 0) out.push_back(std::to_string(count) + what);
  };
  if (!causes.unknown_types.empty()) {
    out.push_back("no energy for leaves of a type that was never learnt: " +
                  join({causes.unknown_types.begin(), causes.unknown_types.end()}));
  }
  const std::string lack = " (no value for " + std::string(missing) + ")";
  say(causes.incomplete_leaves, " leaves lack features, so they get no energy" + lack);
  say(causes.without_features, " inner nodes lack features, so they get no energy" + lack);
  say(causes.childless, " nodes are no leaves and have no children, so they get no energy");
  say(causes.unweighted,
      " nodes lack features: their energy enters their parent's unweighted" + lack);
  say(causes.not_finite, " nodes are so far from what was learnt that no number comes out");
  say(causes.negative, " leaves are predicted below zero: they are far from what was learnt");
  return out;
}

}  // namespace

IrenePrediction predict_irene(const IreneModel& model, const DatasetTree& tree) {
  const IreneAggregate aggregate = model.options.aggregate;
  const bool sums = aggregate != IreneAggregate::kUnstructured;
  const bool weighs = sums && aggregate != IreneAggregate::kSum;
  const TreeRows rows = rows_of(tree, model.options.features);
  std::vector<double> scores;
  if (aggregate != IreneAggregate::kSum) scores = inner_scores(model.inner, rows);

  Causes causes;
  std::vector<double> energies(tree.nodes.size(), kAbsent);  // Absent until a child adds to it.
  IrenePrediction out;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    const std::int32_t row = rows.row_of[i];
    double& energy = energies[i];
    if (node.is_leaf()) {
      energy = predict_one_leaf(model, node, rows, row, causes);
    } else if (!sums) {
      energy = row == kNoRow ? kAbsent : scores[as_index(row)];
      if (row == kNoRow) ++causes.without_features;
      if (row != kNoRow && !std::isfinite(energy)) ++causes.not_finite;
    } else if (node.first == static_cast<std::int32_t>(i)) {
      ++causes.childless;
    }
    if (sums && node.parent >= 0) {
      if (weighs && row == kNoRow && !node.is_leaf()) ++causes.unweighted;
      const double weight =
          weighs && row != kNoRow ? child_weight(scores[as_index(row)], model.options.tau) : 1.0;
      if (std::isnan(weight)) ++causes.not_finite;
      double& sum = energies[as_index(node.parent)];
      const bool first_child = node.first == tree.nodes[as_index(node.parent)].first;
      sum = (first_child ? 0.0 : sum) + weight * energy;  // NaN stays NaN.
    }
    out.energies.push_back(std::isfinite(energy) ? std::optional(Joules(energy)) : std::nullopt);
  }
  out.warnings = explain(causes, rows.missing);
  return out;
}

}  // namespace wattree
