#include "src/measure/torch/script.h"

#include <torch/csrc/jit/serialization/import.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

#include "src/measure/torch/interpreter.h"
#include "src/measure/torch/placement.h"
#include "src/measure/torch/recorder.h"
#include "src/measure/torch/text.h"

namespace wattree::torch_plugin {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

struct InputSpec {
  at::ScalarType dtype = at::kFloat;
  std::vector<std::int64_t> size;
  std::int64_t limit = 2;  // Of whole numbers.
};

Problem bad_input(const std::string& text, const std::string& why) {
  return Problem(
      WATTREE_ERROR_INPUT, "input \"" + text + "\" " + why,
      "write <input> \"i64[16,128]<30522\" or <input> \"f32[1,3,224,224]\", one for each "
      "argument of the model");
}

InputSpec parse(const std::string& text) {
  static const std::vector<std::pair<std::string, at::ScalarType>> kTypes{
      {"f32", at::kFloat}, {"bf16", at::kBFloat16}, {"f16", at::kHalf}, {"f64", at::kDouble},
      {"i64", at::kLong},  {"i32", at::kInt},       {"i8", at::kChar},  {"b8", at::kBool}};
  InputSpec spec;
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open)
    throw bad_input(text, "has no sizes in brackets");
  bool is_known = false;
  for (const auto& [name, type] : kTypes) {
    if (text.substr(0, open) != name) continue;
    spec.dtype = type;
    is_known = true;
  }
  if (!is_known)
    throw bad_input(text, "is of no known type (f32, bf16, f16, f64, i64, i32, i8, b8)");
  const char* at = text.data() + open + 1;
  const char* const end = text.data() + close;
  double elements = 1;
  while (at < end) {
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1 || (next < end && *next != ','))
      throw bad_input(text, "has a size that is no positive number");
    spec.size.push_back(value);
    elements *= static_cast<double>(value);
    at = next < end ? next + 1 : end;
  }
  if (elements > static_cast<double>(kMaxElements)) throw bad_input(text, "is too large");
  const std::string rest = text.substr(close + 1);
  if (rest.empty()) return spec;
  const auto [next, error] =
      std::from_chars(rest.data() + 1, rest.data() + rest.size(), spec.limit);
  if (rest[0] != '<' || error != std::errc() || next != rest.data() + rest.size() || spec.limit < 1)
    throw bad_input(text, "goes on with \"" + rest + "\"; only \"<\" and a number may follow");
  return spec;
}

at::Tensor make_input(const InputSpec& spec, Device& device) {
  at::Tensor tensor =
      at::empty(spec.size, at::TensorOptions().dtype(spec.dtype).device(device.where()));
  if (at::isFloatingType(spec.dtype)) return tensor.normal_(0, 1, device.generator());
  if (spec.dtype == at::kBool) return tensor.fill_(1);
  return tensor.random_(0, spec.limit, device.generator());
}

// Of a whole number, a number or a truth value ("0" or "1").
c10::IValue parse_number(const std::string& text, c10::TypeKind kind) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !(std::abs(value) < 1e15))
    throw bad_input(text, "is given for a number, and is none");
  if (kind == c10::TypeKind::FloatType) return value;
  if (value != std::floor(value)) throw bad_input(text, "is given for a whole number");
  if (kind == c10::TypeKind::BoolType) return value != 0;
  return static_cast<std::int64_t>(value);
}

// What stands for `text` where the model wants `argument`.
c10::IValue make_argument(const std::string& text, const c10::Argument& argument, Device& device) {
  c10::TypePtr type = argument.type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  switch (type->kind()) {
    case c10::TypeKind::TensorType: return make_input(parse(text), device);
    case c10::TypeKind::IntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::BoolType: return parse_number(text, type->kind());
    default:
      throw Problem(WATTREE_ERROR_INPUT,
                    "argument \"" + argument.name() + ": " + argument.type()->str() +
                        "\" cannot be given: only tensors and numbers can",
                    "save a model whose forward() takes tensors and calls this one with them");
  }
}

// Ids that the first table of the model has.
std::int64_t first_table_rows(const torch::jit::Module& module) {
  for (const auto& part : module.named_modules()) {
    if (class_of(part.value) == "Embedding" && part.value.hasattr("weight"))
      return part.value.attr("weight").toTensor().size(0);
  }
  return 2;
}

std::string signature(const std::vector<c10::Argument>& arguments) {
  std::string text;
  for (const c10::Argument& argument : arguments) {
    text += (text.empty() ? "" : ", ") + argument.name() + ": " + argument.type()->str();
  }
  return text;
}

}  // namespace

Script::Script(Device& device, const std::string& path, const std::vector<std::string>& inputs,
               std::int64_t batch, std::int64_t length) {
  try {
    module_ = torch::jit::load(path, device.where());
  } catch (const c10::Error& error) {
    throw Problem(WATTREE_ERROR_INPUT,
                  path + " is no TorchScript file: " + first_line(error.what_without_backtrace()),
                  "save one with torch.jit.save(torch.jit.trace(model, inputs), PATH); a file of "
                  "torch.save() holds weights alone");
  }
  module_.eval();
  place_code(module_, device.where());
  if (!module_.find_method("forward"))
    throw Problem(WATTREE_ERROR_INPUT, path + " has no forward()");
  std::vector<c10::Argument> wanted =
      module_.get_method("forward").function().getSchema().arguments();
  wanted.erase(wanted.begin());  // self
  std::size_t needed = 0;
  for (const c10::Argument& argument : wanted) needed += argument.default_value() ? 0 : 1;

  std::vector<std::string> specs = inputs;
  if (specs.empty()) {
    if (needed > 1 || wanted.empty() || wanted[0].name() != "input_ids") {
      throw Problem(
          WATTREE_ERROR_INPUT,
          "the inputs of " + path + " cannot be guessed: forward(" + signature(wanted) + ")",
          "give one <input> for each, like <input> \"f32[1,3,224,224]\" or <input> "
          "\"i64[16,128]<30522\" (whole numbers below 30522)");
    }
    specs.push_back("i64[" + std::to_string(batch) + "," + std::to_string(length) + "]<" +
                    std::to_string(first_table_rows(module_)));
  }
  if (specs.size() < needed || specs.size() > wanted.size()) {
    throw Problem(WATTREE_ERROR_INPUT,
                  std::to_string(specs.size()) + " inputs are given, and " + path +
                      " has forward(" + signature(wanted) + ")",
                  "give one <input> for each argument");
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    arguments_.push_back(make_argument(specs[i], wanted[i], device));
    inputs_text_ += (inputs_text_.empty() ? "" : ", ") + specs[i];
  }
  for (std::size_t i = specs.size(); i < wanted.size(); ++i)
    arguments_.push_back(*wanted[i].default_value());

  Recorder recorder(*this);
  recorder.know_parameters(module_);
  Interpreter interpreter(module_, recorder);
  const auto fails = [&](const char* why) {
    return Problem(WATTREE_ERROR_INPUT,
                   path + " fails on inputs " + inputs_text_ + ": " + first_line(why),
                   "give other inputs with <input>");
  };
  c10::IValue result;
  try {
    result = interpreter.run_root(arguments_);
  } catch (const Problem&) {
    throw;
  } catch (const c10::Error& error) {
    if (is_out_of_memory(error.what_without_backtrace())) throw;
    throw fails(error.what_without_backtrace());
  } catch (const std::exception& error) {  // Raised by the script, or by what it does with lists.
    throw fails(error.what());
  }
  const Recorder::Pause pause(recorder);
  outputs_ = flattened(result);
  for (const at::Tensor& output : outputs_) output_storages_.push_back(recorder.storage_of(output));
  // Modules that this pass does not call hold weights all the same.
  std::set<std::string> called;
  for (const Event& event : events_) {
    if (event.kind == WATTREE_EVENT_ENTER) called.insert(event.name);
  }
  std::vector<Event> uncalled;
  std::swap(events_, uncalled);
  for (const auto& part : module_.named_modules()) {
    if (called.count(part.name) > 0 || is_no_node(class_of(part.value))) continue;
    if (part.value.named_parameters(/*recurse=*/false).size() == 0) continue;
    recorder.enter(part.name, class_of(part.value), part.value);
    recorder.leave(c10::IValue());
  }
  std::swap(events_, uncalled);
  // Into the root, before it is left.
  events_.insert(events_.end() - 1, uncalled.begin(), uncalled.end());
}

std::int32_t Script::dtype() const {
  for (const at::Tensor& parameter : module_.parameters()) {
    if (at::isFloatingType(parameter.scalar_type())) return dtype_code(parameter.scalar_type());
  }
  return WATTREE_FLOAT32;
}

Kernel Script::recorded(int index) const {
  const RecordedOp& op = ops_.at(static_cast<std::size_t>(index));
  return [&op](const Arguments& arguments) { return call_again(op, arguments.inputs); };
}

at::Tensor Script::kept(std::int64_t storage) const {
  const auto found = kept_.find(storage);
  return found == kept_.end() ? at::Tensor() : found->second;
}

std::vector<at::Tensor> Script::framework_outputs() {
  return flattened(module_.forward(arguments_));
}

}  // namespace wattree::torch_plugin
