#include "src/measure/torch/interpreter.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace wattree::torch_plugin {
namespace {

namespace jit = torch::jit;
namespace prim = c10::prim;

constexpr int kMaxDepth = 200;  // Of calls: a script that calls itself must not end the program.

Problem not_followed(const std::string& what) {
  return Problem(WATTREE_ERROR_INPUT,
                 "the script uses " + what + ", which cannot be followed op by op",
                 "save the model with torch.jit.trace instead of torch.jit.script");
}

c10::IValue list_of(jit::Stack items, const c10::Type& type) {
  c10::impl::GenericList list(type.expectRef<c10::ListType>().getElementType());
  for (c10::IValue& item : items) list.push_back(std::move(item));
  return list;
}

c10::IValue dict_of(const jit::Stack& items, const c10::DictType& type) {
  c10::impl::GenericDict dict(type.getKeyType(), type.getValueType());
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    dict.insert_or_assign(items[i], items[i + 1]);
  return dict;
}

c10::IValue slice_of(const c10::IValue& tuple, std::int64_t begin, std::int64_t end) {
  const std::vector<c10::IValue> all = tuple.toTupleRef().elements().vec();
  return c10::ivalue::Tuple::create(
      std::vector<c10::IValue>(all.begin() + begin, all.begin() + end));
}

bool is_one_of(const c10::IValue& value, const std::vector<c10::TypePtr>& types) {
  const c10::TypePtr type = value.type();
  return std::any_of(types.begin(), types.end(),
                     [&](const c10::TypePtr& candidate) { return type->isSubtypeOf(*candidate); });
}

// What moves values about and runs no kernel. False: the node is none of these.
bool move_values(const jit::Node& node, jit::Stack& stack) {
  const auto kind = node.kind();
  if (kind == prim::Uninitialized) {
    stack = {c10::IValue::uninitialized()};
  } else if (kind == prim::ListConstruct) {
    stack = {list_of(std::move(stack), *node.output()->type())};
  } else if (kind == prim::TupleConstruct) {
    stack = {c10::ivalue::Tuple::create(std::move(stack))};
  } else if (kind == prim::DictConstruct) {
    stack = {dict_of(stack, node.output()->type()->expectRef<c10::DictType>())};
  } else if (kind == prim::ListUnpack) {
    stack = stack[0].toListRef().vec();
  } else if (kind == prim::TupleUnpack) {
    stack = stack[0].toTupleRef().elements().vec();
  } else if (kind == prim::TupleSlice) {
    stack = {slice_of(stack[0], node.i(c10::attr::beg), node.i(c10::attr::end))};
  } else if (kind == prim::isinstance) {
    stack = {is_one_of(stack[0], node.tys(c10::attr::types))};
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string class_of(const jit::Module& module) {
  const auto name = module.type()->name();
  return name ? name->name() : "Module";
}

bool is_no_node(const std::string& type) {
  static const std::set<std::string> kNames{"ModuleList", "ModuleDict", "Sequential", "Dropout",
                                            "Dropout1d",  "Dropout2d",  "Identity"};
  return kNames.count(type) > 0;
}

Interpreter::Interpreter(const jit::Module& root, Recorder& recorder)
    : root_(root), recorder_(recorder) {
  for (const auto& module : root.named_modules())
    scopes_.emplace(module.value._ivalue().get(), module.name);
}

c10::IValue Interpreter::run_root(const std::vector<c10::IValue>& arguments) {
  return run_method(root_._ivalue(), "forward", arguments);
}

c10::IValue Interpreter::run_method(const c10::IValue& self, const std::string& name,
                                    jit::Stack arguments) {
  const auto object = self.toObject();
  arguments.insert(arguments.begin(), self);
  jit::Function& function = object->type()->getMethod(name);
  const auto known = scopes_.find(object.get());
  // "forward1": traced twice; "forward__0": one of several, as LSTM and GRU have.
  const bool is_forward =
      name == "forward" || name.rfind("forward1", 0) == 0 || name.rfind("forward__", 0) == 0;
  if (known == scopes_.end() || !is_forward) return run_function(function, std::move(arguments));
  const jit::Module module(object);
  const std::string type = class_of(module);
  if (is_no_node(type) && !known->second.empty())
    return run_function(function, std::move(arguments));
  recorder_.enter(known->second, type, module);
  c10::IValue result = run_function(function, std::move(arguments));
  recorder_.leave(result);
  return result;
}

c10::IValue Interpreter::run_function(jit::Function& function, jit::Stack arguments) {
  jit::GraphFunction* written = jit::tryToGraphFunction(function);
  if (written == nullptr) {
    function.run(arguments);
    return arguments.empty() ? c10::IValue() : arguments.back();
  }
  if (depth_ >= kMaxDepth) throw not_followed("calls nested " + std::to_string(depth_) + " deep");
  ++depth_;
  // It is kept while it runs: optimising it elsewhere makes another one.
  const std::shared_ptr<jit::Graph> graph = written->graph();
  Values values;
  if (graph->inputs().size() != arguments.size()) {
    throw Problem(WATTREE_ERROR_INPUT,
                  "\"" + function.name() + "\" takes " + std::to_string(graph->inputs().size()) +
                      " arguments, and " + std::to_string(arguments.size()) + " were given");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    values.emplace(graph->inputs()[i], std::move(arguments[i]));
  run_block(*graph->block(), values);
  --depth_;
  if (graph->outputs().empty()) return {};
  return values.at(graph->outputs()[0]);
}

void Interpreter::run_block(const jit::Block& block, Values& values) {
  for (const jit::Node* node : block.nodes()) run_node(*node, values);
}

void Interpreter::run_loop(const jit::Node& node, Values& values) {
  const jit::Block& body = *node.blocks()[0];
  const std::int64_t most = values.at(node.inputs()[0]).toInt();
  bool goes_on = values.at(node.inputs()[1]).toBool();
  std::vector<c10::IValue> carried;
  for (std::size_t i = 2; i < node.inputs().size(); ++i)
    carried.push_back(values.at(node.inputs()[i]));
  for (std::int64_t turn = 0; turn < most && goes_on; ++turn) {
    values[body.inputs()[0]] = turn;
    for (std::size_t i = 0; i < carried.size(); ++i) values[body.inputs()[i + 1]] = carried[i];
    run_block(body, values);
    goes_on = values.at(body.outputs()[0]).toBool();
    for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = values.at(body.outputs()[i + 1]);
  }
  for (std::size_t i = 0; i < carried.size(); ++i) values[node.outputs()[i]] = carried[i];
}

void Interpreter::run_constant(const jit::Node& node, Values& values) {
  const auto constant = jit::toIValue(node.output());
  if (!constant) {
    values[node.output()] = {};  // A function, which its type names: see run_call().
    return;
  }
  // A Python number in a traced op is a tensor of the widest type without dimensions.
  if (constant->isTensor() && constant->toTensor().dim() == 0 &&
      (constant->toTensor().scalar_type() == at::kDouble ||
       constant->toTensor().scalar_type() == at::kLong)) {
    recorder_.know_number(constant->toTensor());
  }
  values[node.output()] = *constant;
}

void Interpreter::run_if(const jit::Node& node, Values& values) {
  const jit::Block& chosen = *node.blocks()[values.at(node.inputs()[0]).toBool() ? 0 : 1];
  run_block(chosen, values);
  for (std::size_t i = 0; i < node.outputs().size(); ++i)
    values[node.outputs()[i]] = values.at(chosen.outputs()[i]);
}

// Constants and control flow: what does not take all its operands before it runs.
bool Interpreter::run_flow(const jit::Node& node, Values& values) {
  const auto kind = node.kind();
  if (kind == prim::Constant) {
    run_constant(node, values);
  } else if (kind == prim::If) {
    run_if(node, values);
  } else if (kind == prim::Loop) {
    run_loop(node, values);
  } else {
    return false;
  }
  return true;
}

// What reads or writes an object, or calls what the script defines.
bool Interpreter::run_call(const jit::Node& node, jit::Stack& stack, Values& values) {
  const auto kind = node.kind();
  if (kind == prim::GetAttr) {
    values[node.output()] = stack[0].toObject()->getAttr(node.s(c10::attr::name));
  } else if (kind == prim::SetAttr) {
    stack[0].toObject()->setAttr(node.s(c10::attr::name), stack[1]);
  } else if (kind == prim::CallMethod) {
    const c10::IValue self = stack[0];
    stack.erase(stack.begin());
    values[node.output()] = run_method(self, node.s(c10::attr::name), std::move(stack));
  } else if (kind == prim::CallFunction) {
    jit::Function* function = node.inputs()[0]->type()->expectRef<c10::FunctionType>().function();
    stack.erase(stack.begin());
    values[node.output()] = run_function(*function, std::move(stack));
  } else {
    return false;
  }
  return true;
}

// An operator of the framework: what the recorder sees.
void Interpreter::run_operator(const jit::Node& node, jit::Stack& stack) {
  const auto kind = node.kind();
  const std::size_t count = stack.size();
  const jit::Operator* op = node.maybeOperator();
  if (op == nullptr) throw not_followed(kind.toQualString());
  if (op->schema().is_vararg()) stack.emplace_back(static_cast<std::int64_t>(count));
  if (kind.is_prim()) {
    const Recorder::Pause pause(recorder_);
    node.getOperation()(stack);
  } else {
    node.getOperation()(stack);
  }
  if (kind == prim::NumToTensor) recorder_.know_number(stack.back().toTensor());
}

void Interpreter::run_node(const jit::Node& node, Values& values) {
  if (run_flow(node, values)) return;
  jit::Stack stack;
  for (const jit::Value* input : node.inputs()) stack.push_back(values.at(input));
  if (run_call(node, stack, values)) return;
  const auto kind = node.kind();
  if (kind == prim::fork || kind == prim::Enter || kind == prim::Exit || kind == prim::CreateObject)
    throw not_followed(kind.toQualString());
  if (kind == prim::RaiseException)
    throw std::runtime_error("it raises \"" + stack[0].toStringRef() + "\"");
  if (kind == c10::aten::warn) return;
  if (!move_values(node, stack)) run_operator(node, stack);
  if (stack.size() < node.outputs().size())
    throw Problem(WATTREE_ERROR_INTERNAL, std::string(kind.toQualString()) + " gave too little");
  const std::size_t first = stack.size() - node.outputs().size();
  for (std::size_t i = 0; i < node.outputs().size(); ++i)
    values[node.outputs()[i]] = std::move(stack[first + i]);
}

}  // namespace wattree::torch_plugin
