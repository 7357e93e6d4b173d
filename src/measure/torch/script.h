// A TorchScript file: loaded, run once, and what it did while it ran.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/script.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "src/measure/torch/device.h"
#include "src/measure/torch/program.h"

namespace wattree::torch_plugin {

// An op that ran, with all its arguments: enough to call it again with other tensors.
struct RecordedOp {
  c10::OperatorHandle op;
  std::vector<c10::IValue> arguments;
  std::vector<bool>
      is_operand;  // Of the tensors among them, in order: the others stay as they are.
};

// Calls the op with the tensors given in place of its operands.
std::vector<at::Tensor> call_again(const RecordedOp& recorded,
                                   const std::vector<at::Tensor>& inputs);

std::int32_t dtype_code(at::ScalarType type);

// Tensors of an argument or a result, in order.
std::vector<at::Tensor> flattened(const c10::IValue& value);

// What a script did, in order (WattreeEvent). Storages of parameters are -2 - id, others count from
// zero.
struct Event {
  std::int32_t kind = 0;  // As of WattreeEvent.
  std::string name;
  std::string type;
  std::vector<WattreeTensor> tensors;
  std::int32_t inputs = 0;
  std::vector<WattreeParameter> parameters;
};

class Script {
 public:
  // Loads and runs it. `inputs` are texts like "i64[16,128]" or "i64[16,128]<30522"; where there
  // are none, token ids of [batch, length] if the model takes nothing but input_ids.
  Script(Device& device, const std::string& path, const std::vector<std::string>& inputs,
         std::int64_t batch, std::int64_t length);

  const std::vector<Event>& events() const { return events_; }
  const std::string& inputs_text() const { return inputs_text_; }
  std::int32_t dtype() const;  // Of its first floating-point parameter, as of WattreeTensor.
  Kernel recorded(int index) const;
  // The tensor that holds a storage no op made: a weight, a buffer, an input. Undefined: none does.
  at::Tensor kept(std::int64_t storage) const;
  // What the framework itself returns for the same inputs, flattened; and what this run returned.
  std::vector<at::Tensor> framework_outputs();
  const std::vector<at::Tensor>& outputs() const { return outputs_; }
  const std::vector<std::int64_t>& output_storages() const { return output_storages_; }

 private:
  friend class Recorder;
  torch::jit::Module module_;
  std::vector<c10::IValue> arguments_;
  std::vector<Event> events_;
  std::vector<RecordedOp> ops_;
  std::unordered_map<std::int64_t, at::Tensor> kept_;
  std::vector<at::Tensor> outputs_;
  std::vector<std::int64_t> output_storages_;
  std::string inputs_text_;
};

}  // namespace wattree::torch_plugin
