#include "src/predict/estimate/compare_models.h"

#include "src/predict/estimate/ratio.h"

namespace wattree {

std::vector<std::string> ModelComparison::above_limit() const {
  std::vector<std::string> out;
  if (!limit) return out;
  for (const ComparedModel& model : models) {
    if (model.ratio > 1 + *limit) out.push_back(model.prediction.built.model);
  }
  return out;
}

namespace {

// Trees of all models are in memory at a time: so many times what one of them may have.
constexpr std::size_t kTreesAtATime = 5;

Status check_room(std::size_t nodes, const PassShape& query) {
  if (!query.budget) return {};
  const std::size_t most = query.budget->nodes_of_tree();
  if (most > WorkLimits::kNone / kTreesAtATime || nodes <= kTreesAtATime * most) return {};
  return Error{
      ErrorCode::kInvalidInput,
      "the models have more than " + std::to_string(kTreesAtATime * most) + " nodes together",
      "compare fewer at a time, or with fewer layers", "model"};
}

}  // namespace

Result<ModelComparison> compare_models(const std::vector<NamedModel>& models,
                                       const PassShape& query, const LoadedPredictor& by,
                                       std::optional<double> limit) {
  ModelComparison out;
  out.limit = limit;
  std::size_t nodes = 0;
  for (const NamedModel& model : models) {
    Result<BuiltModel> answer = build_model(model.name, model.text.json, model.text.origin, query);
    if (!answer.ok()) return answer.error();
    nodes += answer.value().tree.nodes().size();
    if (Status failure = check_room(nodes, query); !failure.ok()) return failure.error();
    Result<Prediction> prediction = predict(std::move(answer).value(), by);
    if (!prediction.ok()) return prediction.error();
    ComparedModel compared{std::move(prediction).value()};
    if (!out.models.empty()) {
      const EnergyPart first = whole_of(out.models.front().prediction);
      if (!(first.estimate.energy > Joules())) {
        return Error{ErrorCode::kInvalidInput,
                     models.front().name + " takes no energy: there is nothing to compare with",
                     ""};
      }
      const EnergyRatio ratio = ratio_of(first, whole_of(compared.prediction), true);
      compared.ratio = ratio.value;
      compared.ratio_low = ratio.low;
      compared.ratio_high = ratio.high;
    }
    out.models.push_back(std::move(compared));
  }
  return out;
}

}  // namespace wattree
