// A script's devices: a model that was traced on one device names it in its code.
#pragma once

#include <torch/script.h>

namespace wattree::torch_plugin {

// Every device that the code of the module names becomes this one. Weights are moved when a script
// is loaded; devices in its code are not, and a model traced on a CPU would go on making tensors
// there. To be called before it is first run: the framework keeps code that it has optimised.
void place_code(const torch::jit::Module& root, at::Device where);

}  // namespace wattree::torch_plugin
