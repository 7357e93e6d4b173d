#include "src/cli/script_flags.h"

#include <CLI/CLI.hpp>
#include <filesystem>

namespace wattree {

void describe_inputs(CLI::App& command, ScriptFlags& flags) {
  command
      .add_option(
          "--input", flags.inputs,
          "Of a TorchScript file: type and sizes of an argument, and a limit for whole "
          "numbers, like \"i64[16,128]<30522\", or a number; once for each [token ids of -b x "
          "-s]")
      ->allow_extra_args(false);
}

void describe_script(CLI::App& command, ScriptFlags& flags) {
  describe_inputs(command, flags);
  command.add_option("--torch-plugin", flags.plugin,
                     "What reads TorchScript files: libwattree-torch.so, by "
                     "tools/build_torch_plugin [looked for beside the program]");
}

Result<ScriptModel> open_script_model(const std::string& model, const ScriptFlags& flags,
                                      const PassShape& query) {
  if (!query.overrides.empty() || !query.dtype.empty() || !query.attention.empty() ||
      !query.as.empty() || query.past > 0) {
    return Error{
        ErrorCode::kInvalidInput,
        "--set, --dtype, --attention, --as and --past are for configs; " + model + " is what it is",
        "save the model with other settings"};
  }
  ScriptQuery script;
  script.executor.device = flags.device;
  script.executor.plugin = flags.plugin;
  std::error_code ignored;
  script.executor.program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  script.inputs = flags.inputs;
  script.batch = query.batch;
  script.seq = query.seq;
  return open_script_model(model, script);
}

Result<BuiltModel> find_tree(const std::string& model, const PassFlags& pass,
                             const ScriptFlags& script, Surroundings& world) {
  if (is_script(model)) {
    Result<ScriptModel> opened = open_script_model(model, script, pass.query);
    if (!opened.ok()) return opened.error();
    return std::move(std::move(opened).value().answer);
  }
  const Result<ModelText> text = find_model(model, pass, world);
  if (!text.ok()) return text.error();
  return build_model(model, text.value().json, text.value().origin, pass.query);
}

}  // namespace wattree
