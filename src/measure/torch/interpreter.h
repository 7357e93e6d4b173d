// Runs a TorchScript module node by node, so that it is known which module an op belongs to: the
// framework's own interpreter inlines all calls first.
#pragma once

#include <torch/script.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "src/measure/torch/recorder.h"

namespace wattree::torch_plugin {

class Interpreter {
 public:
  Interpreter(const torch::jit::Module& root, Recorder& recorder);

  c10::IValue run_root(const std::vector<c10::IValue>& arguments);

 private:
  using Values = std::unordered_map<const torch::jit::Value*, c10::IValue>;

  c10::IValue run_function(torch::jit::Function& function, torch::jit::Stack arguments);
  c10::IValue run_method(const c10::IValue& self, const std::string& name,
                         torch::jit::Stack arguments);
  void run_block(const torch::jit::Block& block, Values& values);
  void run_node(const torch::jit::Node& node, Values& values);
  // These two say whether they were what the node asks for.
  bool run_flow(const torch::jit::Node& node, Values& values);
  bool run_call(const torch::jit::Node& node, torch::jit::Stack& stack, Values& values);
  void run_constant(const torch::jit::Node& node, Values& values);
  void run_if(const torch::jit::Node& node, Values& values);
  void run_loop(const torch::jit::Node& node, Values& values);
  void run_operator(const torch::jit::Node& node, torch::jit::Stack& stack);

  torch::jit::Module root_;
  Recorder& recorder_;
  std::unordered_map<const void*, std::string> scopes_;  // Of every submodule, by its object.
  int depth_ = 0;
};

// "BertLayer" of "__torch__.models.___torch_mangle_3.BertLayer".
std::string class_of(const torch::jit::Module& module);
// Containers and what does nothing when a model is only run.
bool is_no_node(const std::string& type);

}  // namespace wattree::torch_plugin
