#include "src/cli/script_flags.h"

namespace wattree {

void describe_inputs(CommandSyntax command, ScriptFlags& flags) {
  command
      .add_option(
          "--input", flags.inputs,
          "Of a TorchScript file: type and sizes of an argument, and a limit for whole "
          "numbers, like \"i64[16,128]<30522\", or a number; once for each [token ids of -b x "
          "-s]")
      .one_value_each();
}

void describe_script(CommandSyntax command, ScriptFlags& flags) {
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

}  // namespace wattree
