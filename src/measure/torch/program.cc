#include "src/measure/torch/program.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wattree::torch_plugin {
namespace {

Operand read_operand(const WattreeTensor& given, std::int64_t storages) {
  if (given.rank < 0 || given.rank > WATTREE_MAX_RANK || given.storage < 0 ||
      given.storage >= storages) {
    throw Problem(WATTREE_ERROR_INTERNAL, "a tensor of the program is out of bounds");
  }
  Operand operand;
  operand.storage = given.storage;
  operand.dtype = scalar_type(given.dtype);
  operand.offset = given.offset;
  operand.size.assign(given.size, given.size + given.rank);
  operand.stride.assign(given.stride, given.stride + given.rank);
  return operand;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t size_at(const Operand& operand, std::int64_t dimension) {
  const auto rank = static_cast<std::int64_t>(operand.size.size());
  if (dimension < 0) dimension += rank;
  return dimension >= 0 && dimension < rank ? operand.size[static_cast<std::size_t>(dimension)] : 1;
}

// An index out of bounds would make a GPU refuse all further work, so those are known.
std::vector<IndexUse> index_uses(const Step& step) {
  std::vector<IndexUse> uses;
  if (step.inputs.size() < 2) return uses;
  const Operand& table = step.inputs.front();
  const auto number = [&](std::int64_t otherwise) {
    return step.numbers.empty() ? otherwise : static_cast<std::int64_t>(step.numbers[0]);
  };
  if (step.name == "embedding") uses.push_back({1, size_at(table, 0)});
  if (step.name == "gather") uses.push_back({1, size_at(table, number(-1))});
  if (is_one_of(step.name, {"index_select", "index_add", "scatter", "scatter_add", "index_copy"}))
    uses.push_back({1, size_at(table, number(0))});
  if (is_one_of(step.name, {"index", "index_put", "index_put_"})) {
    const std::size_t values = step.name == "index" ? 0 : 1;
    for (std::size_t i = 1; i + values < step.inputs.size(); ++i)
      uses.push_back({i, size_at(table, number(0) + static_cast<std::int64_t>(i) - 1)});
  }
  std::erase_if(uses, [&](const IndexUse& use) {
    return !at::isIntegralType(step.inputs[use.input].dtype, /*includeBool=*/false);
  });
  return uses;
}

// As the framework starts a fresh model: matrices small, scales one, offsets zero.
Fill weight_fill(const Step& step, std::size_t input) {
  const bool is_offset = (step.name == "addmm" && input == 0) || step.name == "add" ||
                         (is_one_of(step.name, {"native_layer_norm", "convolution"}) && input == 2);
  if (is_offset) return Fill::kZeros;
  return step.inputs[input].size.size() == 1 ? Fill::kOnes : Fill::kSmall;
}

void choose_fill(const Step& step, std::size_t input, Storage& storage) {
  for (const IndexUse& use : step.indices) {
    if (use.input != input) continue;
    const bool is_first = storage.fill != Fill::kIndex;
    storage.fill = Fill::kIndex;
    storage.limit = is_first ? use.limit : std::min(storage.limit, use.limit);
    return;
  }
  if (storage.fill == Fill::kIndex) return;
  if (step.name == "_grouped_mm" && input == 2) {
    storage.fill = Fill::kEnds;
    storage.limit = step.inputs[0].size[0];
  } else if (!at::isFloatingType(storage.dtype)) {
    // Other whole numbers become indices further on, often enough: none is as safe as zero.
    storage.fill = storage.dtype == at::kBool ? Fill::kOnes : Fill::kZeros;
  } else if (storage.is_weight) {
    storage.fill = weight_fill(step, input);
  } else if (is_one_of(step.name, {"rsqrt", "sqrt", "log", "log2", "pow", "reciprocal"})) {
    storage.fill = Fill::kPositive;  // NaNs are cheaper to multiply than numbers.
  }
}

}  // namespace

at::ScalarType scalar_type(std::int32_t dtype) {
  constexpr std::array<at::ScalarType, 8> kTypes{at::kFloat, at::kBFloat16, at::kHalf, at::kDouble,
                                                 at::kLong,  at::kInt,      at::kChar, at::kBool};
  if (dtype < 0 || dtype >= static_cast<std::int32_t>(kTypes.size()))
    throw Problem(WATTREE_ERROR_INPUT, "tensors of this type cannot be made again");
  return kTypes[static_cast<std::size_t>(dtype)];
}

Program read_program(const WattreeProgram& given, const std::function<Kernel(int)>& recorded) {
  Program program;
  program.allows_tf32 = given.allows_tf32 != 0;
  for (std::int64_t i = 0; i < given.storage_count; ++i) {
    Storage storage;
    storage.elements = given.storages[i].elements;
    storage.dtype = scalar_type(given.storages[i].dtype);
    storage.is_weight = given.storages[i].is_weight != 0;
    storage.source = given.storages[i].source;
    program.storages.push_back(storage);
  }
  for (std::int64_t i = 0; i < given.call_count; ++i) {
    const WattreeCall& call = given.calls[i];
    Step step;
    step.name = call.name;
    step.scope = call.scope;
    step.kernel = call.recorded >= 0 ? recorded(call.recorded) : find_kernel(step.name);
    if (!step.kernel) {
      throw Problem(WATTREE_ERROR_INPUT, "\"" + step.scope + "\" runs " + step.name +
                                             ", which the PyTorch plugin cannot run by itself");
    }
    for (std::int32_t t = 0; t < call.inputs + call.outputs; ++t) {
      (t < call.inputs ? step.inputs : step.outputs)
          .push_back(read_operand(call.tensors[t], given.storage_count));
    }
    if (step.outputs.empty()) throw Problem(WATTREE_ERROR_INTERNAL, step.name + " has no result");
    step.numbers.assign(call.numbers, call.numbers + call.number_count);
    step.indices = index_uses(step);
    program.steps.push_back(std::move(step));
  }
  link(program);
  return program;
}

void link(Program& program) {
  std::vector<char> is_made(program.storages.size(), 0);
  std::vector<char> is_seen(program.storages.size(), 0);
  for (Step& step : program.steps) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const auto at = static_cast<std::size_t>(step.inputs[i].storage);
      Storage& storage = program.storages[at];
      if (is_made[at]) continue;
      if (!is_seen[at]) storage.is_given = true;
      is_seen[at] = 1;
      choose_fill(step, i, storage);
      storage.is_look_up =
          i == 0 && is_one_of(step.name, {"embedding", "index", "index_select", "gather"});
    }
    for (const Operand& output : step.outputs) {
      const auto at = static_cast<std::size_t>(output.storage);
      if (is_seen[at]) continue;  // Written in place.
      program.storages[at].is_given = false;
      is_made[at] = 1;
    }
  }
  std::vector<char> is_needed(program.storages.size(), 0);
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    step->last_uses.clear();
    for (const std::vector<Operand>* operands : {&step->inputs, &step->outputs}) {
      for (const Operand& operand : *operands) {
        const auto at = static_cast<std::size_t>(operand.storage);
        if (is_needed[at] || program.storages[at].is_given) continue;
        is_needed[at] = 1;
        step->last_uses.push_back(operand.storage);
      }
    }
  }
}

}  // namespace wattree::torch_plugin
