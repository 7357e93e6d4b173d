#include "src/predict/estimate/compare_models.h"

#include <cmath>

namespace wattree {

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
      const double spread = std::hypot(first.energy_spread(), other.energy_spread());
      compared.ratio_low = compared.ratio / (1 + spread);
      compared.ratio_high = compared.ratio * (1 + spread);
    }
    out.models.push_back(std::move(compared));
  }
  return out;
}

}  // namespace wattree
