#include "src/predict/fit/annotate.h"

#include <algorithm>

#include "src/predict/irene/predict.h"

namespace wattree {
namespace {

// Which calibration fits a node.
Known known_at(const WorkTree& tree, std::size_t i, const std::vector<bool>& has_leaves,
               Known known) {
  if (known != Known::kNode || tree.nodes[i].reading) return known;
  return has_leaves[i] ? Known::kLeaves : Known::kNothing;
}

}  // namespace

Annotator::Annotator(AnyPredictor predictor) : predictor_(std::move(predictor)) {
  if (const auto* own = std::get_if<Predictor>(&predictor_)) twins_.emplace(*own);
}

void Annotator::annotate(DatasetTree& tree, const PredictOptions& options) {
  for (DatasetNode& node : tree.nodes) {
    node.predicted.reset();
    node.predicted_low.reset();
    node.predicted_high.reset();
    node.predicted_own.reset();
    node.predicted_time.reset();
  }
  if (const auto* irene = std::get_if<IrenePredictor>(&predictor_)) {
    as_irene(tree, irene->model);
  } else {
    reconciled(tree, options);
  }
}

void Annotator::as_irene(DatasetTree& tree, const IreneModel& model) {
  const IrenePrediction prediction = predict_irene(model, tree);
  warnings_.insert(prediction.warnings.begin(), prediction.warnings.end());
  std::vector<double> children(tree.nodes.size(), 0.0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    DatasetNode& node = tree.nodes[i];
    const auto& energy = prediction.energies[i];
    node.predicted = energy;
    if (!energy) continue;
    node.predicted_own = Joules(energy->value - children[i]);
    if (node.parent >= 0) children[static_cast<std::size_t>(node.parent)] += energy->value;
  }
}

void Annotator::reconciled(DatasetTree& tree, const PredictOptions& options) const {
  const auto& predictor = std::get<Predictor>(predictor_);
  const WorkTrees work = work_of({&tree});
  const WorkTree& seen = work.trees.front();
  const auto estimates = predict_tree(predictor, *twins_, work.types, seen, options);
  std::vector<bool> has_leaves(seen.nodes.size(), true);  // Every leaf below has a reading.
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const DatasetEstimate& e = estimates[i];
    DatasetNode& node = tree.nodes[i];
    if (node.is_leaf()) has_leaves[i] = seen.nodes[i].reading.has_value();
    if (node.parent >= 0 && !has_leaves[i])
      has_leaves[static_cast<std::size_t>(node.parent)] = false;
    node.predicted = e.energy;
    node.predicted_own = e.own;
    if (e.time > Seconds()) node.predicted_time = e.time;
    const Known known = known_at(seen, i, has_leaves, options.known);
    if (const auto& spread = predictor.spreads[static_cast<std::size_t>(known)]) {
      const double half = e.source == Source::kTwin
                              ? spread->twin_energy
                              : spread->energy[static_cast<std::size_t>(seen.nodes[i].level)];
      node.predicted_low = std::max(Joules(), e.energy * (1 - half));
      node.predicted_high = e.energy * (1 + half);
    }
  }
}

}  // namespace wattree
