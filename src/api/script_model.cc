#include "src/api/script_model.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "src/exec/plugin.h"
#include "src/script/script_tree.h"

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

// The first size of "f32[16,3,224,224]".
std::int64_t first_size(const std::string& input) {
  std::int64_t size = 1;
  const std::size_t open = input.find('[');
  if (open != std::string::npos)
    std::from_chars(input.data() + open + 1, input.data() + input.size(), size);
  return size > 0 ? size : 1;
}

}  // namespace

bool is_script(const std::string& model) {
  const std::string ending = std::filesystem::path(model).extension().string();
  return ending == ".pt" || ending == ".pth" || ending == ".ts";
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
  if (!opened.ok()) return opened.error();
  std::unique_ptr<ScriptExecutor> script = std::move(opened).value();
  Result<ModelTree> tree = tree_of_script(script->facts());
  if (!tree.ok()) {
    Error error = tree.error();
    error.message = path + ": " + error.message;
    return error;
  }
  ScriptModel model;
  TreeAnswer& answer = model.answer;
  answer.model = path;
  answer.model_type = "torchscript";
  answer.tree = std::move(tree).value();
  answer.class_name = answer.tree.root().type;
  answer.pass.precision = answer.tree.precision;
  answer.pass.keeps_dataflow = true;
  const bool is_fused = std::any_of(answer.tree.nodes().begin(), answer.tree.nodes().end(),
                                    [](const Node& node) { return node.op == Op::kSdpa; });
  answer.pass.attention = is_fused ? Attention::kSdpa : Attention::kEager;
  answer.has_text_source = query.inputs.empty();
  answer.pass.batch = query.inputs.empty() ? query.batch : first_size(query.inputs.front());
  answer.pass.seq = answer.pass.target_len = answer.pass.source = seq;
  model.executor = std::move(script);
  return model;
}

std::unique_ptr<Executor> shared_executor(const ScriptModel& model) {
  return std::make_unique<SharedExecutor>(model.executor);
}

}  // namespace wattree
