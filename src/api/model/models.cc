#include "src/api/model/models.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "src/api/model/known_models.h"
#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/models/families/build_model.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

Result<KnownModel> known_model(const std::string& name, const std::string& config) {
  PassShape pass;
  pass.seq = 1;  // Parameters do not depend on it.
  const Result<BuiltModel> built = build_model(name, config, name, pass);
  if (!built.ok()) return built.error();
  KnownModel out;
  out.name = name;
  out.model_type = built.value().model_type;
  out.class_name = built.value().class_name;
  out.params = built.value().tree.root().params;
  out.dtype = name_of(built.value().pass.precision);
  if (const Family* family = find_family(out.model_type)) out.kind = kind_of(*family);
  return out;
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void write_model(JsonWriter& out, const KnownModel& model) {
  out.begin_object();
  out.field("name", model.name);
  out.field("model_type", model.model_type);
  out.field("class", model.class_name);
  out.field("params", model.params);
  out.field("dtype", model.dtype);
  out.field("kind", name_of(model.kind));
  out.field("source", model.is_dropped ? "dropped" : "bundled");
  out.end_object();
}

void add_dropped(const Services& services, ModelsAnswer& out) {
  if (services.models == nullptr) return;
  const std::shared_ptr<const DroppedModels> dropped = services.models->models();
  out.problems = dropped->problems;
  for (const DroppedModel& model : dropped->models) {
    if (find_bundled(model.name) != nullptr) {
      out.problems.push_back({model.name, "a bundled model has this name"});
      continue;
    }
    Result<KnownModel> known = known_model(model.name, model.config);
    if (!known.ok()) {
      out.problems.push_back({model.name, known.error().message});
      continue;
    }
    out.models.push_back(std::move(known).value());
    out.models.back().is_dropped = true;
  }
}

}  // namespace

Result<ModelsAnswer> models() {
  ModelsAnswer out;
  for (const BundledModel& model : bundled_models()) {
    Result<KnownModel> known = known_model(std::string(model.name), std::string(model.json));
    if (!known.ok()) return known.error();
    out.models.push_back(std::move(known).value());
  }
  for (const Family& family : families()) {
    KnownFamily& entry = out.families.emplace_back();
    entry.model_type = family.model_type;
    for (const ModelClass& known : family.classes) entry.classes.push_back(known.name);
  }
  return out;
}

Result<ModelsAnswer> models_with(const std::vector<std::string>& words) {
  Result<ModelsAnswer> all = models();
  if (!all.ok() || words.empty()) return all;
  ModelsAnswer out = std::move(all).value();
  std::erase_if(out.models, [&](const KnownModel& model) {
    const std::string text =
        in_small_letters(model.name + " " + model.model_type + " " + model.class_name);
    return !std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return text.find(in_small_letters(word)) != std::string::npos;
    });
  });
  if (!out.models.empty()) return out;
  const std::vector<std::string> close = nearest(words.front(), model_names(), 2);
  return Error{ErrorCode::kNotFound,
               "no bundled model has \"" + join(words, " ") + "\" in its name",
               close.empty() ? "`wattree models` lists all of them"
                             : "did you mean " + join(close, " or ") + "?",
               "words"};
}

Result<ModelsAnswer> models(const Services& services) {
  Result<ModelsAnswer> bundled = models();
  if (!bundled.ok()) return bundled.error();
  ModelsAnswer out = std::move(bundled).value();
  add_dropped(services, out);
  return out;
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> out;
  for (const BundledModel& model : bundled_models()) out.push_back(model.name);
  return out;
}

Result<AddModelRequest> add_model_request(const nlohmann::json& body) {
  Status failure;
  JsonFields fields(body, "", "the request", failure);
  AddModelRequest request;
  request.name = fields.text("name", true);
  if (const nlohmann::json* config = fields.object("config", true)) request.config = config->dump();
  fields.finish();
  if (!failure.ok()) return failure.error();
  return request;
}

Result<KnownModel> add_model(const AddModelRequest& request, const Services& services) {
  if (services.models == nullptr) {
    return Error{ErrorCode::kUnavailable, "this server keeps no models",
                 "start it with a folder for them (<models>)"};
  }
  if (find_bundled(request.name) != nullptr) {
    return Error{ErrorCode::kInvalidInput, "a bundled model is called " + request.name,
                 "choose another name", "name"};
  }
  Result<KnownModel> known = known_model(request.name, request.config);
  if (!known.ok()) return of_field("config", known.error());
  if (const Status failure = services.models->add(request.name, request.config); !failure.ok()) {
    return failure.error();
  }
  KnownModel out = std::move(known).value();
  out.is_dropped = true;
  return out;
}

std::string to_json(const KnownModel& model) {
  JsonWriter out(2);
  write_model(out, model);
  return out.take() + "\n";
}

std::string to_json(const ModelsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("models");
  out.begin_array();
  for (const KnownModel& model : answer.models) write_model(out, model);
  out.end_array();
  out.key("families");
  out.begin_array();
  for (const KnownFamily& family : answer.families) {
    out.begin_object();
    out.field("model_type", family.model_type);
    out.key("classes");
    out.begin_array();
    for (const std::string_view name : family.classes) out.value(name);
    out.end_array();
    out.end_object();
  }
  out.end_array();
  if (!answer.problems.empty()) {
    out.key("problems");
    out.begin_array();
    for (const DroppedProblem& problem : answer.problems) {
      out.begin_object();
      out.field("file", problem.file);
      out.field("message", problem.why);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
