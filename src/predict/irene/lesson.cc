#include "src/predict/irene/lesson.h"

#include <cmath>
#include <utility>

namespace wattree {
namespace {

std::vector<double> given_energies(const DatasetTree& tree, const LeafRegressors& leaves,
                                   const TreeRows& rows, IreneAggregate aggregate) {
  std::vector<double> out(tree.nodes.size(), std::nan(""));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    if (aggregate == IreneAggregate::kStepwise && is_usable(node.energy)) {
      out[i] = node.energy->value;
    } else if (node.is_leaf()) {
      const auto leaf = leaves.find(node.instance_type);
      if (leaf == leaves.end() || rows.row_of[i] == kNoRow) continue;
      const double energy = predict_leaf(leaf->second, rows.row(as_index(rows.row_of[i])));
      if (std::isfinite(energy)) out[i] = energy;
    }
  }
  return out;
}

// Whether the energy of each inner node can be computed.
std::vector<bool> computable(const DatasetTree& tree, const std::vector<double>& given,
                             const TreeRows& rows, IreneAggregate aggregate) {
  std::vector<bool> out(tree.nodes.size());
  std::vector<bool> has_children(tree.nodes.size());
  std::vector<bool> lacks_child(tree.nodes.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    if (aggregate == IreneAggregate::kUnstructured) {
      out[i] = rows.row_of[i] != kNoRow;
      continue;
    }
    out[i] = has_children[i] && !lacks_child[i];
    if (node.parent < 0) continue;
    has_children[as_index(node.parent)] = true;
    if (std::isnan(given[i]) && !out[i]) lacks_child[as_index(node.parent)] = true;
  }
  return out;
}

}  // namespace

Lesson prepare_lesson(const DatasetTree& tree, TreeRows rows, const LeafRegressors& leaves,
                      const StandardScaler& scaler, IreneAggregate aggregate,
                      LessonCounts& counts) {
  Lesson out;
  out.given = given_energies(tree, leaves, rows, aggregate);
  const std::vector<bool> can_compute = computable(tree, out.given, rows, aggregate);
  out.target.resize(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    out.parent.push_back(node.parent);
    const bool enters_a_sum = aggregate != IreneAggregate::kUnstructured && node.parent >= 0 &&
                              (!std::isnan(out.given[i]) || can_compute[i]);
    if (enters_a_sum && rows.row_of[i] == kNoRow) ++counts.unweighted;
    if (node.is_leaf()) continue;
    ++counts.inner;
    if (!node.energy) {
      ++counts.unmeasured;
    } else if (!is_usable(node.energy)) {
      ++counts.not_positive;
    } else if (!can_compute[i]) {
      ++counts.blocked;
    } else {
      ++counts.learnt;
      out.target[i] = node.energy->value;
    }
  }
  out.rows = std::move(rows);
  for (std::size_t r = 0; r < out.rows.size(); ++r) {
    standardize(scaler, out.rows.row(r), out.rows.row(r));
  }
  return out;
}

}  // namespace wattree
