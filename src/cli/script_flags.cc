#include "src/cli/script_flags.h"

#include <CLI/CLI.hpp>

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

ModelRef model_ref(const std::string& model, const PassFlags& pass, const ScriptFlags& script) {
  ModelRef ref;
  ref.name = model;
  ref.revision = pass.revision;
  ref.inputs = script.inputs;
  ref.executor = {script.device, script.plugin};
  return ref;
}

Result<ScriptModel> open_script_model(const std::string& model, const ScriptFlags& flags,
                                      const PassShape& query) {
  Result<OpenedModel> opened = open_model(model_ref(model, {}, flags), query, {});
  if (!opened.ok()) return opened.error();
  OpenedModel script = std::move(opened).value();
  return ScriptModel{std::move(script.built), std::move(script.executor)};
}

Result<BuiltModel> find_tree(const std::string& model, const PassFlags& pass,
                             const ScriptFlags& script, Surroundings& world) {
  Result<OpenedModel> opened =
      open_model(model_ref(model, pass, script), pass.query, world.services);
  if (!opened.ok()) return opened.error();
  OpenedModel found = std::move(opened).value();
  show_notes(found.notes, world);
  return std::move(found.built);
}

}  // namespace wattree
