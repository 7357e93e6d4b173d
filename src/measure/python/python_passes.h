// Passes of models as a Python program launches them: what they take of this host.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/base/units.h"
#include "src/models/families/build_model.h"

namespace wattree {

// A pass that Python launched kernel by kernel, at several moments.
struct PythonPass {
  BuiltModel pass;
  std::vector<Seconds> times;
};

struct PythonOptions {
  std::string program = "python3";
  std::string device = "cuda";
  int rounds = 12;  // Within seconds a shared host may change: so many short ones, of all in turn.
  Seconds round{0.25};
  Seconds limit{60};  // For all of it, loading PyTorch included.
};

// Of four small models in bf16. Fails with kUnavailable where there is no such program, where it
// has neither PyTorch nor Transformers, or where these see no GPU: the message says which.
Result<std::vector<PythonPass>> time_python_passes(const PythonOptions& options,
                                                   const std::function<bool()>& is_stopped);

}  // namespace wattree
