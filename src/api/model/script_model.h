// Models in TorchScript files, for the use cases that take a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/api/model/open_executor.h"
#include "src/models/families/build_model.h"

namespace wattree {

struct ScriptQuery {
  ExecutorQuery executor;
  std::vector<std::string> inputs;  // "i64[16,128]<30522" for each; none: they are guessed.
  std::int64_t batch = 1;           // Of guessed ones.
  std::optional<std::int64_t> seq;  // 128
};

struct ScriptModel {
  BuiltModel answer;
  std::shared_ptr<Executor> executor;  // Runs the nodes of the answer's tree, and of any other.
};

// Whether a MODEL argument names a TorchScript file: by its ending.
bool is_script(const std::string& model);

// An error where the pass asks for what only a config can be built with.
Status check_script(const std::string& path, const PassShape& pass);

// Loads it with the plugin and runs it once.
Result<ScriptModel> open_script_model(const std::string& path, const ScriptQuery& query);

// The model's executor as one that can be handed over; it stays the same one.
std::unique_ptr<Executor> shared_executor(const ScriptModel& model);

}  // namespace wattree
