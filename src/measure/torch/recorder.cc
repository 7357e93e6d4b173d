#include "src/measure/torch/recorder.h"

#include <algorithm>
#include <set>

namespace wattree::torch_plugin {
namespace {

thread_local Recorder* g_recorder = nullptr;

const void* address_of(const at::Tensor& tensor) { return tensor.storage().unsafeGetStorageImpl(); }

void flatten(const c10::IValue& value, std::vector<at::Tensor>& out) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) out.push_back(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) flatten(item, out);
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) flatten(item, out);
  }
}

// Ops that run no kernel although their schema does not say that they make a view.
bool runs_nothing(const c10::OperatorHandle& op) {
  static const std::set<std::string> kNames{"_unsafe_view",
                                            "lift_fresh",
                                            "empty",
                                            "empty_like",
                                            "new_empty",
                                            "empty_strided",
                                            "detach",
                                            "new_empty_strided",
                                            "_local_scalar_dense",
                                            "resize_",
                                            "_assert_async",
                                            "alias",
                                            "_reshape_alias",
                                            "set_",
                                            "_assert_tensor_metadata",
                                            "is_same_size",
                                            "lift",
                                            "item"};
  if (kNames.count(op.operator_name().name.substr(6)) > 0) return true;  // After "aten::".
  for (const c10::Argument& result : op.schema().returns()) {
    if (result.alias_info() != nullptr && !result.alias_info()->isWrite()) return true;
  }
  return false;
}

}  // namespace

std::int32_t dtype_code(at::ScalarType type) {
  switch (type) {
    case at::kFloat: return WATTREE_FLOAT32;
    case at::kBFloat16: return WATTREE_BFLOAT16;
    case at::kHalf: return WATTREE_FLOAT16;
    case at::kDouble: return WATTREE_FLOAT64;
    case at::kLong: return WATTREE_INT64;
    case at::kInt: return WATTREE_INT32;
    case at::kChar:
    case at::kByte: return WATTREE_INT8;
    case at::kBool: return WATTREE_BOOL;
    default: return WATTREE_OTHER_DTYPE;
  }
}

std::vector<at::Tensor> flattened(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  flatten(value, tensors);
  return tensors;
}

struct Recorder::Call : at::ObserverContext {
  explicit Call(const c10::OperatorHandle& called) : op(called) {}
  c10::OperatorHandle op;
  std::vector<c10::IValue> arguments;
};

Recorder::Recorder(Script& script) : script_(script) {
  g_recorder = this;
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                           .needsInputs(true)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
}

Recorder::~Recorder() {
  at::removeCallback(handle_);
  g_recorder = nullptr;
}

std::unique_ptr<at::ObserverContext> Recorder::on_start(const at::RecordFunction& function) {
  Recorder* const self = g_recorder;
  if (self == nullptr || self->depth_ > 0) return nullptr;
  const auto name = function.operator_name();
  if (!name) return nullptr;
  const auto op = c10::Dispatcher::singleton().findOp(*name);
  if (!op || op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd))
    return nullptr;
  auto call = std::make_unique<Call>(*op);
  const auto inputs = function.inputs();
  call->arguments.assign(inputs.begin(), inputs.end());
  ++self->depth_;
  return call;
}

void Recorder::on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  Recorder* const self = g_recorder;
  if (self == nullptr || context == nullptr) return;
  --self->depth_;
  self->finish(*static_cast<Call*>(context), function.outputs());
}

std::int64_t Recorder::storage_of(const at::Tensor& tensor) {
  const auto [place, is_new] = storages_.emplace(address_of(tensor), next_storage_);
  if (is_new) {
    // Nothing that was seen has made it: an input, a buffer or a constant.
    ++next_storage_;
    script_.kept_.emplace(place->second, tensor);
  }
  return place->second;
}

bool Recorder::is_number(const at::Tensor& tensor) const {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() ||
         numbers_.count(address_of(tensor)) > 0;
}

void Recorder::know_number(const at::Tensor& tensor) { numbers_.insert(address_of(tensor)); }

void Recorder::know_parameters(const torch::jit::Module& module) {
  std::int64_t id = 0;
  for (const at::Tensor& parameter : module.parameters()) {
    const std::int64_t storage = -2 - id;
    if (!storages_.emplace(address_of(parameter), storage).second) continue;  // Tied.
    script_.kept_.emplace(storage, parameter);
    ++id;
  }
}

WattreeTensor Recorder::describe(const at::Tensor& tensor) {
  if (tensor.dim() > WATTREE_MAX_RANK) {
    throw Problem(WATTREE_ERROR_INPUT, "the script has a tensor of " +
                                           std::to_string(tensor.dim()) +
                                           " dimensions; more than " +
                                           std::to_string(WATTREE_MAX_RANK) + " are not supported");
  }
  WattreeTensor out{};
  out.storage = static_cast<std::int32_t>(storage_of(tensor));
  out.dtype = dtype_code(tensor.scalar_type());
  out.rank = static_cast<std::int32_t>(tensor.dim());
  out.offset = tensor.storage_offset();
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    out.size[i] = tensor.size(i);
    out.stride[i] = tensor.stride(i);
  }
  return out;
}

void Recorder::finish(Call& call, const std::vector<c10::IValue>& outputs) {
  std::vector<at::Tensor> inputs;
  for (const c10::IValue& argument : call.arguments) flatten(argument, inputs);
  std::vector<at::Tensor> results;
  for (const c10::IValue& output : outputs) flatten(output, results);
  std::vector<at::Tensor> operands;
  RecordedOp recorded{call.op, std::move(call.arguments), {}};
  for (const at::Tensor& input : inputs) {
    const bool is_operand = input.numel() > 0 && !is_number(input);
    recorded.is_operand.push_back(is_operand);
    if (is_operand) operands.push_back(input);
  }
  Event event;
  event.kind = WATTREE_EVENT_OP;
  event.name = call.op.operator_name().name.substr(6);
  for (const at::Tensor& operand : operands) event.tensors.push_back(describe(operand));
  event.inputs = static_cast<std::int32_t>(operands.size());
  const bool is_of_numbers = !inputs.empty() && operands.empty();
  for (const at::Tensor& result : results) {
    const bool is_old = std::any_of(inputs.begin(), inputs.end(), [&](const at::Tensor& input) {
      return address_of(input) == address_of(result);
    });
    if (is_old) continue;
    // Another storage may have lived at this address.
    storages_[address_of(result)] = next_storage_++;
    numbers_.erase(address_of(result));
    if (is_of_numbers && result.dim() == 0) know_number(result);
  }
  if (is_of_numbers && !results.empty() && is_number(results[0])) return;
  if (runs_nothing(call.op)) return;
  const bool is_attention = event.name.rfind("_scaled_dot_product_", 0) == 0;
  for (const at::Tensor& result : results) {
    if (result.numel() > 0) event.tensors.push_back(describe(result));
    if (is_attention) break;  // What else it returns is for training.
  }
  if (event.tensors.size() == operands.size()) return;
  script_.ops_.push_back(std::move(recorded));
  script_.events_.push_back(std::move(event));
}

void Recorder::enter(const std::string& scope, const std::string& type,
                     const torch::jit::Module& module) {
  Event event;
  event.kind = WATTREE_EVENT_ENTER;
  event.name = scope;
  event.type = type;
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    event.parameters.push_back(
        {static_cast<std::int32_t>(-2 - storage_of(parameter.value)), parameter.value.numel()});
  }
  script_.events_.push_back(std::move(event));
}

void Recorder::leave(const c10::IValue& result) {
  Event event;
  event.kind = WATTREE_EVENT_LEAVE;
  const std::vector<at::Tensor> results = flattened(result);
  if (!results.empty()) event.tensors.push_back(describe(results[0]));
  script_.events_.push_back(std::move(event));
}

namespace {

// The argument with its operands replaced, in the order in which flatten() goes through it.
c10::IValue replaced(const c10::IValue& value, const std::vector<bool>& is_operand,
                     std::size_t& seen, const std::vector<at::Tensor>& inputs, std::size_t& next) {
  if (value.isTensor()) {
    if (!value.toTensor().defined() || !is_operand.at(seen++)) return value;
    return inputs.at(next++);
  }
  if (!value.isList()) return value;
  if (flattened(value).empty()) return value;
  c10::List<c10::IValue> items(value.toList().elementType());
  for (const c10::IValue& item : value.toListRef())
    items.push_back(replaced(item, is_operand, seen, inputs, next));
  return items;
}

}  // namespace

std::vector<at::Tensor> call_again(const RecordedOp& recorded,
                                   const std::vector<at::Tensor>& inputs) {
  torch::jit::Stack stack;
  std::size_t seen = 0;
  std::size_t next = 0;
  for (const c10::IValue& argument : recorded.arguments)
    stack.push_back(replaced(argument, recorded.is_operand, seen, inputs, next));
  recorded.op.callBoxed(stack);
  std::vector<at::Tensor> results;
  for (const c10::IValue& output : stack) flatten(output, results);
  return results;
}

}  // namespace wattree::torch_plugin
