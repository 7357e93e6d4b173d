#include "src/api/predict/suggest.h"

#include <nlohmann/json.hpp>

#include "src/api/model/known_models.h"
#include "src/api/model/tree_text.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_suggestion(JsonWriter& out, const Suggestion& suggestion, bool has_times) {
  out.begin_object();
  out.field("kind", name_of(suggestion.kind));
  out.field("what", suggestion.what);
  out.field("sentence", suggestion.sentence());
  out.key("change");
  out.begin_object();
  for (const auto& [field, value] : suggestion.change) out.field(field, value);
  out.end_object();
  write_fields(out, suggestion.estimate, has_times);
  out.field("energy_per_item_j", suggestion.per_item.value);
  out.field("ratio", suggestion.ratio.value);
  out.field("ratio_low", suggestion.ratio.low);
  out.field("ratio_high", suggestion.ratio.high);
  out.field("sure", suggestion.ratio.is_surely_less());
  out.field("caveat", suggestion.caveat);
  out.key("memory");
  write_json(out, suggestion.memory);
  out.key("basis");
  write_json(out, suggestion.provenance);
  out.end_object();
}

std::string model_type_of(const std::string& config) {
  const nlohmann::json parsed = nlohmann::json::parse(config, nullptr, false);
  if (!parsed.is_object()) return "";
  const auto found = parsed.find("model_type");
  return found != parsed.end() && found->is_string() ? found->get<std::string>() : "";
}

// Bundled models of the same family, and the distilled one.
std::vector<NamedModel> siblings_of(const NamedModel& model) {
  std::vector<NamedModel> out = bundled_texts();
  const std::string family = model_type_of(model.text.json);
  std::erase_if(out, [&](const NamedModel& other) {
    return other.name != "distil" + model.name && model_type_of(other.text.json) != family;
  });
  return out;
}

}  // namespace

Result<SuggestRequest> suggest_request(const nlohmann::json& body) {
  RequestReader reader(body);
  SuggestRequest request;
  request.model = reader.model();
  request.pass = reader.pass();
  request.predictor = reader.predictor();
  return reader.take(std::move(request));
}

Result<SuggestAnswer> suggest(const SuggestRequest& request, const Services& services) {
  if (is_script(request.model, services)) return script_has_one_size();
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  Result<ModelText> text = find_config(request.model, services);
  if (!text.ok()) return text.error();
  NamedModel model{name_of(request.model), std::move(text).value()};
  SuggestQuery query{model, within_budget(request.pass, services), by.value(), siblings_of(model),
                     named_predictors(services.predictors).predictors};
  const std::vector<NamedPredictor>& assumed = assumed_predictors();
  query.devices.insert(query.devices.end(), assumed.begin(), assumed.end());
  for (NamedPredictor& device : query.devices) device.loaded.execution = by.value().execution;
  Result<Suggestions> suggested = suggest(query);
  if (!suggested.ok()) return of_model(request.model, suggested.error());
  SuggestAnswer answer{std::move(suggested).value(), {}};
  const Prediction& now = answer.suggestions.now;
  answer.notes = notes_of(query.model.text, with_notes(now.built.notes, now));
  return answer;
}

std::string to_json(const SuggestAnswer& answer, int indent) {
  const Prediction& now = answer.suggestions.now;
  JsonWriter out(indent);
  out.begin_object();
  write_subject(out, now.built);
  write_pass(out, now.built);
  write_precision(out, now.built);
  write_predictor(out, now.by);
  write_fields(out, now.root(), now.has_times());
  write_per_unit(out, now.root(), now.built.pass.batch, tokens_per_item(now.built));
  out.key("basis");
  write_json(out, now.by.provenance());
  out.key("suggestions");
  out.begin_array();
  for (const Suggestion& suggestion : answer.suggestions.savings) {
    write_suggestion(out, suggestion, suggestion.estimate.time > Seconds());
  }
  out.end_array();
  out.key("no_saving");
  out.begin_array();
  for (const SuggestionKind kind : answer.suggestions.no_saving) out.value(name_of(kind));
  out.end_array();
  out.field("notes", answer.notes);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
