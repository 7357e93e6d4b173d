// Which model and which predictor a request means: where they are looked for is decided here, so
// that every shell finds the same ones.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/api/model/script_model.h"
#include "src/api/services/services.h"
#include "src/models/families/build_model.h"
#include "src/models/hub/resolve.h"
#include "src/predict/predictor/loaded_predictor.h"

namespace wattree {

// A model as a user names it.
struct ModelRef {
  // A bundled name, a config.json or its folder, org/name on the Hub, or a TorchScript file.
  std::string name;
  std::string revision = {};  // Branch, tag or commit on the Hub; empty: main.
  // The text of a config.json. Then nothing is looked for, and `name` is what answers call it.
  std::string config = {};
  // Of a TorchScript file.
  std::vector<std::string> inputs = {};  // "i64[16,128]<30522" for each; none: they are guessed.
  ExecutorQuery executor = {"cpu", ""};  // What reads it: its tree is the same everywhere.
};

// What answers call it.
std::string name_of(const ModelRef& model);

struct PredictorRef {
  std::string on;         // By name: the user's own, a shipped one, or a GPU.
  std::string file;       // Goes before names.
  std::string execution;  // "graph" or "eager"; empty: graph.
};

struct OpenedModel {
  BuiltModel built;
  std::shared_ptr<Executor> executor;  // Of a TorchScript file: it runs the tree's nodes.
  std::vector<std::string> notes;      // What the user should know of it.
};

// Whether it is a TorchScript file; never where files must not be read.
bool is_script(const ModelRef& model, const Services& services);
// Of use cases that want a config, because they look at several passes.
Error script_has_one_size();

// The model's config.
Result<ModelText> find_config(const ModelRef& model, const Services& services);
// What the user should know of how it was found, and then of how it was read.
std::vector<std::string> notes_of(const ModelText& text, std::vector<std::string> read);
// An error in building its tree, as one of the request's fields. Whoever named the model does not
// see the fields of its config, and whoever gave the config does.
Error of_model(const ModelRef& model, Error error);
// The pass within the budget of whoever asks for it.
PassShape within_budget(PassShape pass, const Services& services);
// Its tree in one pass, whatever it is.
Result<OpenedModel> open_model(const ModelRef& model, const PassShape& pass,
                               const Services& services);

Result<LoadedPredictor> find_predictor(const PredictorRef& ref, const Services& services);

}  // namespace wattree
