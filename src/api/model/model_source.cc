#include "src/api/model/model_source.h"

#include <utility>

#include "src/api/model/known_models.h"
#include "src/api/model/predictor_memory.h"

namespace wattree {
namespace {

Result<OpenedModel> open_script(const ModelRef& model, const PassShape& pass) {
  if (const Status failure = check_script(model.name, pass); !failure.ok()) return failure.error();
  Result<ScriptModel> opened =
      open_script_model(model.name, {model.executor, model.inputs, pass.batch, pass.seq});
  if (!opened.ok()) return opened.error();
  ScriptModel script = std::move(opened).value();
  return OpenedModel{std::move(script.answer), std::move(script.executor), {}};
}

}  // namespace

std::string name_of(const ModelRef& model) {
  return model.name.empty() ? "config.json" : model.name;
}

bool is_script(const ModelRef& model, const Services& services) {
  return model.config.empty() && services.hub.allow_files && is_script(model.name);
}

Error script_has_one_size() {
  return {ErrorCode::kInvalidInput,
          "a TorchScript file is predicted at one size, and without <generate>", "", "model"};
}

Result<ModelText> find_config(const ModelRef& model, const Services& services) {
  if (!model.config.empty()) {
    return ModelText{model.config, name_of(model), ModelSource::kGiven, ""};
  }
  if (const auto dropped = find_dropped(model.name, services)) {
    return ModelText{*dropped, model.name, ModelSource::kGiven, ""};
  }
  // A request may name a hundred models.
  if (services.budget) {
    if (const Status over = services.budget->status(); !over.ok()) return over.error();
  }
  HubOptions hub = services.hub;
  if (services.budget) hub.cancellation = services.budget->cancellation();
  if (!model.revision.empty()) hub.revision = model.revision;
  Result<ModelText> found = resolve_model(model.name, hub);
  if (found.ok()) return found;
  Error error = found.error();
  error.field = "model";
  return error;
}

std::vector<std::string> notes_of(const ModelText& text, std::vector<std::string> read) {
  if (!text.note.empty()) read.insert(read.begin(), text.note);
  return read;
}

Error of_model(const ModelRef& model, Error error) {
  const bool is_of_config = error.field == "config" || error.field.starts_with("config.");
  if (is_of_config && model.config.empty()) error.field = "model";
  return error;
}

PassShape within_budget(PassShape pass, const Services& services) {
  pass.budget = services.budget;
  return pass;
}

Result<OpenedModel> open_model(const ModelRef& model, const PassShape& pass,
                               const Services& services) {
  if (is_script(model, services)) return open_script(model, pass);
  const Result<ModelText> text = find_config(model, services);
  if (!text.ok()) return text.error();
  Result<BuiltModel> built = build_model(name_of(model), text.value().json, text.value().origin,
                                         within_budget(pass, services));
  if (!built.ok()) return of_model(model, built.error());
  std::vector<std::string> notes = notes_of(text.value(), built.value().notes);
  return OpenedModel{std::move(built).value(), nullptr, std::move(notes)};
}

Result<LoadedPredictor> find_predictor(const PredictorRef& ref, const Services& services) {
  const std::optional<Execution> execution =
      parse_execution(ref.execution.empty() ? name_of(Execution::kGraph) : ref.execution);
  if (!execution) {
    return Error{ErrorCode::kInvalidInput, "execution \"" + ref.execution + "\" is not known",
                 "choose graph or eager", "execution"};
  }
  if (!ref.file.empty() && !services.hub.allow_files) {
    return Error{ErrorCode::kPermission, "files of predictors are not read for others",
                 "choose one by name with <on>", "predictor"};
  }
  const auto load = [&] { return load_predictor({ref.file, ref.on, services.predictors}); };
  const bool is_remembered = ref.file.empty() && services.known_predictors;
  Result<LoadedPredictor> found =
      is_remembered ? services.known_predictors->find(ref.on, load) : load();
  if (!found.ok()) {
    Error error = found.error();
    error.field = ref.file.empty() ? "on" : "predictor";
    // To the machine's user a predictor is missing here; to callers from elsewhere the name is
    // wrong.
    const bool is_for_others = !services.hub.allow_files;
    if (is_for_others && error.code == ErrorCode::kUnavailable) error.code = ErrorCode::kNotFound;
    return error;
  }
  LoadedPredictor loaded = std::move(found).value();
  loaded.execution = *execution;
  return loaded;
}

}  // namespace wattree
