// A node as the sequence of its kernels with the memory they share: what the plugin is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/runner/torch_abi.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// Owns what `program()` points to.
class Plan {
 public:
  // kInvalidInput where the node has no kernels or its types cannot be run.
  static Result<Plan> of(const ModelTree& tree, std::int32_t node);

  WattreeProgram program();  // Good until the plan moves or goes.

 private:
  std::vector<WattreeCall> calls_;
  std::vector<WattreeTensor> tensors_;
  std::vector<WattreeStorage> storages_;
  std::vector<std::string> scopes_;
  std::vector<std::vector<double>> numbers_;
  bool allows_tf32_ = false;
};

}  // namespace wattree
