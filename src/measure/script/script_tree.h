// The tree of a TorchScript file, from what it did while it ran once.
#pragma once

#include "src/base/result.h"
#include "src/measure/runner/torch_abi.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// Modules are the script's submodules under their own names, kernels what the framework ran;
// costed, and with its dataflow. A kernel that no config's tree has is of the op kOther and keeps
// the framework's name as its type.
Result<ModelTree> tree_of_script(const WattreeScriptFacts& facts);

// The precision of a script's weights.
Precision precision_of(const WattreeScriptFacts& facts);

}  // namespace wattree
