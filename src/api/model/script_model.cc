#include "src/api/model/script_model.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/base/error_field.h"
#include "src/measure/runner/plugin.h"
#include "src/measure/script/script_tree.h"

namespace wattree {
namespace {

class SharedExecutor : public Executor {
 public:
  explicit SharedExecutor(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}
  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                          const LaunchOptions& options) override {
    return executor_->prepare(tree, node, options);
  }
  const DeviceFacts& device() const override { return executor_->device(); }

 private:
  std::shared_ptr<Executor> executor_;
};

// The sizes of "f32[16,3,224,224]"; of a number none.
std::vector<std::int64_t> sizes_of(const std::string& input) {
  std::vector<std::int64_t> sizes;
  const char* const end = input.data() + input.size();
  const char* at = input.data() + std::min(input.find('['), input.size());
  while (at < end && *at != ']') {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at + 1, end, size);
    if (error != std::errc()) break;
    sizes.push_back(size);
    at = next;
  }
  return sizes;
}

struct Sizes {
  std::int64_t batch = 1;
  std::optional<std::int64_t> length;
};

// Ids are [batch, length] and states [batch, length, width]; any other input has a batch alone.
Sizes sizes_of_inputs(const std::vector<std::string>& inputs) {
  Sizes found;
  for (const std::string& input : inputs) {
    const std::vector<std::int64_t> sizes = sizes_of(input);
    if (sizes.empty()) continue;
    const bool is_ids = sizes.size() == 2 && input[0] == 'i';
    if (is_ids || sizes.size() == 3) return {sizes[0], sizes[1]};
    if (found.batch == 1) found.batch = sizes[0];
  }
  return found;
}

}  // namespace

bool is_script(const std::string& model) {
  const std::string ending = std::filesystem::path(model).extension().string();
  return ending == ".pt" || ending == ".pth" || ending == ".ts";
}

Status check_script(const std::string& path, const PassShape& pass) {
  if (pass.overrides.empty() && pass.dtype.empty() && pass.attention.empty() && pass.as.empty() &&
      !pass.past) {
    return {};
  }
  return Error{
      ErrorCode::kInvalidInput,
      "<set>, <dtype>, <attention>, <as> and <past> are for configs; " + path + " is what it is",
      "save the model with other settings"};
}

Result<ScriptModel> open_script_model(const std::string& path, const ScriptQuery& query) {
  const std::int64_t seq = query.seq.value_or(128);
  Result<std::unique_ptr<ScriptExecutor>> opened = [&] {
    PluginOptions plugin = plugin_options(query.executor);
    const ScriptOptions options{path, query.inputs, query.batch, seq};
    Result<std::unique_ptr<ScriptExecutor>> script = open_script(plugin, options);
    const bool may_be_without = query.executor.device.empty() && !script.ok() &&
                                script.error().code == ErrorCode::kUnavailable;
    if (!may_be_without) return script;
    plugin.device = "cpu";
    return open_script(plugin, options);
  }();
  if (!opened.ok()) return of_field("model", opened.error());
  std::unique_ptr<ScriptExecutor> script = std::move(opened).value();
  Result<ModelTree> tree = tree_of_script(script->facts());
  if (!tree.ok()) {
    Error error = tree.error();
    error.message = path + ": " + error.message;
    return of_field("model", error);
  }
  ScriptModel model;
  BuiltModel& answer = model.answer;
  answer.model = path;
  answer.model_type = "torchscript";
  answer.tree = std::move(tree).value();
  answer.class_name = answer.tree.root().type;
  answer.pass.precision = answer.tree.precision;
  answer.pass.keeps_dataflow = true;
  const bool is_fused = std::any_of(answer.tree.nodes().begin(), answer.tree.nodes().end(),
                                    [](const Node& node) { return node.op == Op::kSdpa; });
  answer.pass.attention = is_fused ? Attention::kSdpa : Attention::kEager;
  const Sizes sizes =
      query.inputs.empty() ? Sizes{query.batch, seq} : sizes_of_inputs(query.inputs);
  answer.has_text_source = sizes.length.has_value();
  answer.pass.batch = sizes.batch;
  answer.pass.seq = answer.pass.target_len = answer.pass.source = sizes.length.value_or(1);
  model.executor = std::move(script);
  return model;
}

std::unique_ptr<Executor> shared_executor(const ScriptModel& model) {
  return std::make_unique<SharedExecutor>(model.executor);
}

}  // namespace wattree
