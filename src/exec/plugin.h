// The executor that LibTorch provides. It lives in a plugin, because linked it would cost every
// start of the program half a second; src/exec/torch_abi.h is what the two sides agree on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/exec/launch.h"

namespace wattree {

struct PluginOptions {
  std::vector<std::string> paths;  // Files to try, in this order.
  std::string device = "cuda";     // "cpu", "cuda" or "cuda:1".
};

// kUnavailable where no file can be loaded or the device is not there; the hint says what to build
// or install.
Result<std::unique_ptr<Executor>> open_torch_executor(const PluginOptions& options);

}  // namespace wattree
