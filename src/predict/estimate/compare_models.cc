#include "src/predict/estimate/compare_models.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/models/tree/distinct.h"

namespace wattree {
namespace {

// The energies of a model's distinct kernels, by what they do.
std::map<std::string, double> energies_by_kernel(const Prediction& prediction) {
  const ModelTree& tree = prediction.built.tree;
  const DistinctNodes distinct = distinct_nodes(tree);
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < prediction.nodes.size(); ++i) {
    if (tree.nodes()[i].op == Op::kNone) continue;
    out[distinct.nodes[static_cast<std::size_t>(distinct.of[i])].key] +=
        prediction.nodes[i].energy.value;
  }
  return out;
}

// The correlation of two models' errors, where every distinct kernel has one of its own. (What all
// kernels of a card share besides makes it larger still.)
double correlation(const Prediction& a, const Prediction& b) {
  const std::map<std::string, double> of_a = energies_by_kernel(a);
  const std::map<std::string, double> of_b = energies_by_kernel(b);
  double both = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (const auto& [key, energy] : of_a) {
    squares_a += energy * energy;
    if (const auto found = of_b.find(key); found != of_b.end()) both += energy * found->second;
  }
  for (const auto& [key, energy] : of_b) squares_b += energy * energy;
  const double sizes = std::sqrt(squares_a * squares_b);
  return sizes > 0 ? std::min(1.0, both / sizes) : 0;
}

// Half of the interval of a ratio, relative.
double spread_of_ratio(const Prediction& a, const Prediction& b) {
  const double x = a.root().energy_spread();
  const double y = b.root().energy_spread();
  return std::sqrt(std::max(0.0, x * x + y * y - 2 * correlation(a, b) * x * y));
}

}  // namespace

std::vector<std::string> ModelComparison::above_limit() const {
  std::vector<std::string> out;
  if (!limit) return out;
  for (const ComparedModel& model : models) {
    if (model.ratio > 1 + *limit) out.push_back(model.prediction.built.model);
  }
  return out;
}

Result<ModelComparison> compare_models(const std::vector<NamedModel>& models,
                                       const PassShape& query, const LoadedPredictor& by,
                                       std::optional<double> limit) {
  ModelComparison out;
  out.limit = limit;
  for (const NamedModel& model : models) {
    Result<BuiltModel> answer = build_model(model.name, model.text.json, model.text.origin, query);
    if (!answer.ok()) return answer.error();
    Result<Prediction> prediction = predict(std::move(answer).value(), by);
    if (!prediction.ok()) return prediction.error();
    ComparedModel compared{std::move(prediction).value()};
    if (!out.models.empty()) {
      const PassEstimate first = out.models.front().prediction.root();
      const PassEstimate other = compared.prediction.root();
      if (!(first.energy > Joules())) {
        return Error{ErrorCode::kInvalidInput,
                     models.front().name + " takes no energy: there is nothing to compare with",
                     ""};
      }
      compared.ratio = other.energy.value / first.energy.value;
      const double spread = spread_of_ratio(out.models.front().prediction, compared.prediction);
      compared.ratio_low = compared.ratio / (1 + spread);
      compared.ratio_high = compared.ratio * (1 + spread);
    }
    out.models.push_back(std::move(compared));
  }
  return out;
}

}  // namespace wattree
