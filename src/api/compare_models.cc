#include "src/api/compare_models.h"

#include <cmath>

#include "src/api/tree_text.h"
#include "src/base/json_writer.h"

namespace wattree {

std::vector<std::string> ModelComparison::above_limit() const {
  std::vector<std::string> out;
  if (!limit) return out;
  for (const ComparedModel& model : models) {
    if (model.ratio > 1 + *limit) out.push_back(model.prediction.answer.model);
  }
  return out;
}

Result<ModelComparison> compare_models(const std::vector<NamedModel>& models,
                                       const TreeQuery& query, const LoadedPredictor& by,
                                       std::optional<double> limit) {
  ModelComparison out;
  out.limit = limit;
  for (const NamedModel& model : models) {
    Result<TreeAnswer> answer = tree_of(model.name, model.text.json, model.text.origin, query);
    if (!answer.ok()) return answer.error();
    Result<Prediction> prediction = predict(std::move(answer).value(), by);
    if (!prediction.ok()) return prediction.error();
    ComparedModel compared{std::move(prediction).value()};
    if (!out.models.empty()) {
      const PassEstimate first = out.models.front().prediction.root();
      const PassEstimate other = compared.prediction.root();
      if (!(first.energy_j > 0)) {
        return Error{ErrorCode::kInvalidInput,
                     models.front().name + " takes no energy: there is nothing to compare with",
                     ""};
      }
      compared.ratio = other.energy_j / first.energy_j;
      const double spread = std::hypot(first.energy_spread(), other.energy_spread());
      compared.ratio_low = compared.ratio / (1 + spread);
      compared.ratio_high = compared.ratio * (1 + spread);
    }
    out.models.push_back(std::move(compared));
  }
  return out;
}

std::string to_json(const ModelComparison& comparison, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  write_predictor(out, comparison.models.front().prediction.by);
  out.key("models");
  out.begin_array();
  for (const ComparedModel& model : comparison.models) {
    const Prediction& prediction = model.prediction;
    const TreeAnswer& answer = prediction.answer;
    out.begin_object();
    write_subject(out, answer);
    write_pass(out, answer);
    write_precision(out, answer);
    write_counts(out, answer.tree.root());
    write_fields(out, prediction.root(), prediction.has_times());
    write_per_unit(out, prediction.root(), answer.pass.batch, tokens_per_item(answer));
    out.field("ratio", model.ratio);
    out.field("ratio_low", model.ratio_low);
    out.field("ratio_high", model.ratio_high);
    out.key("basis");
    write_json(out, prediction.by.provenance());
    out.end_object();
  }
  out.end_array();
  if (comparison.limit) {
    out.field("fail_above", *comparison.limit);
    out.field("above_limit", comparison.above_limit());
  }
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
