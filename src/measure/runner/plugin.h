// The executor that LibTorch provides. It lives in a plugin, because linked it would cost every
// start of the program half a second; src/measure/runner/torch_abi.h is what the two sides agree
// on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/runner/launch.h"
#include "src/measure/runner/torch_abi.h"

namespace wattree {

struct PluginOptions {
  std::vector<std::string> paths;  // Files to try, in this order.
  std::string device = "cuda";     // "cpu", "cuda" or "cuda:1".
};

// kUnavailable where no file can be loaded or the device is not there; the hint says what to build
// or install.
Result<std::unique_ptr<Executor>> open_torch_executor(const PluginOptions& options);

struct ScriptOptions {
  std::string path;                 // A TorchScript file.
  std::vector<std::string> inputs;  // "i64[16,128]<30522" for each; none: they are guessed.
  std::int64_t batch = 1;           // Of guessed inputs.
  std::int64_t length = 128;
};

// Runs nodes of the tree that src/script makes of `facts()`, with the script's own weights.
class ScriptExecutor : public Executor {
 public:
  virtual const WattreeScriptFacts& facts() const = 0;
  // The largest difference between what the whole tree returns, run kernel by kernel, and what the
  // framework itself returns for the same inputs.
  virtual Result<double> difference(const ModelTree& tree) = 0;
};

// Loads the script and runs it once. kInvalidInput where the file is none, its inputs cannot be
// guessed, or it fails on them.
Result<std::unique_ptr<ScriptExecutor>> open_script(const PluginOptions& plugin,
                                                    const ScriptOptions& options);

}  // namespace wattree
