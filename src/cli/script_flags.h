// Flags of the commands that take a TorchScript file where others take a name.
#pragma once

#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/cli/command.h"
#include "src/cli/pass_flags.h"

namespace wattree {

struct ScriptFlags {
  std::vector<std::string> inputs;
  std::string plugin;
  std::string device = "cpu";  // Its tree is the same everywhere.
};
void describe_inputs(CommandSyntax command, ScriptFlags& flags);
// --input and --torch-plugin: for commands that run nothing but the script.
void describe_script(CommandSyntax command, ScriptFlags& flags);

// The model that the flags of a command name.
ModelRef model_ref(const std::string& model, const PassFlags& pass, const ScriptFlags& script);

}  // namespace wattree
