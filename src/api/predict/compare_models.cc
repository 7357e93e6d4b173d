#include "src/api/predict/compare_models.h"

#include <nlohmann/json.hpp>

#include "src/api/model/tree_text.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/request_reader.h"
#include "src/base/error_field.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::size_t kMostModels = 100;

std::vector<ModelRef> read_models(RequestReader& reader) {
  std::vector<ModelRef> models;
  const nlohmann::json* listed = reader.fields().array("models", true);
  if (listed == nullptr) return models;
  if (listed->size() < 2 || listed->size() > kMostModels) {
    reader.fields().complain("models", "must name 2 to " + std::to_string(kMostModels));
    return models;
  }
  for (const nlohmann::json& entry : *listed) {
    if (entry.is_string()) {
      models.push_back({entry.get<std::string>()});
      continue;
    }
    if (!entry.is_object()) {
      reader.fields().complain("models[" + std::to_string(models.size()) + "]",
                               "must be a name or an object");
      return models;
    }
    JsonFields fields = reader.fields().below(entry, "models", models.size());
    ModelRef& model = models.emplace_back();
    if (const nlohmann::json* config = fields.object("config")) model.config = config->dump();
    model.name = fields.text("model", model.config.empty());
    model.revision = fields.text("revision");
    fields.finish();
  }
  return models;
}

}  // namespace

Result<CompareModelsRequest> compare_models_request(const nlohmann::json& body) {
  RequestReader reader(body);
  CompareModelsRequest request;
  request.models = read_models(reader);
  request.pass = reader.pass();
  request.predictor = reader.predictor();
  request.limit = reader.limit();
  return reader.take(std::move(request));
}

Result<CompareModelsAnswer> compare_models(const CompareModelsRequest& request,
                                           const Services& services) {
  std::vector<NamedModel> models;
  for (const ModelRef& model : request.models) {
    Result<ModelText> text = find_config(model, services);
    if (!text.ok()) {
      const std::string which = "models[" + std::to_string(models.size()) + "]";
      return renamed_field("model", which, text.error());
    }
    models.push_back({name_of(model), std::move(text).value()});
  }
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  Result<ModelComparison> compared =
      compare_models(models, within_budget(request.pass, services), by.value(), request.limit);
  // Which one it is, the message says.
  if (!compared.ok()) return renamed_field("model", "models", of_model({}, compared.error()));
  CompareModelsAnswer answer{std::move(compared).value(), {}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::vector<std::string>& read = answer.comparison.models[i].prediction.built.notes;
    for (const std::string& note : notes_of(models[i].text, read)) {
      answer.notes.push_back(models[i].name + ": " + note);
    }
  }
  // One device and one precision for all of them.
  answer.notes = with_notes(std::move(answer.notes), answer.comparison.models.front().prediction);
  return answer;
}

std::string to_json(const CompareModelsAnswer& answer, int indent) {
  const ModelComparison& comparison = answer.comparison;
  JsonWriter out(indent);
  out.begin_object();
  write_predictor(out, comparison.models.front().prediction.by);
  out.key("models");
  out.begin_array();
  for (const ComparedModel& model : comparison.models) {
    const Prediction& prediction = model.prediction;
    const BuiltModel& built = prediction.built;
    out.begin_object();
    write_subject(out, built);
    write_pass(out, built);
    write_precision(out, built);
    write_counts(out, built.tree.root());
    write_fields(out, prediction.root(), prediction.has_times());
    write_per_unit(out, prediction.root(), built.pass.batch, tokens_per_item(built));
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
