#include "src/cli/script_flags.h"

namespace wattree {

void describe_inputs(CommandSyntax command, ScriptFlags& flags) {
  command
      .add_option("--input", flags.inputs,
                  "For a TorchScript file: type and size of one argument, such as "
                  "\"i64[16,128]<30522\" (whole numbers below 30522), or a number. Repeat it for "
                  "each argument [token ids of -b x -s]")
      .one_value_each();
}

void describe_script(CommandSyntax command, ScriptFlags& flags) {
  describe_inputs(command, flags);
  command.add_option("--torch-plugin", flags.plugin,
                     "The plugin that reads TorchScript files: libwattree-torch.so, made by "
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

}  // namespace wattree
