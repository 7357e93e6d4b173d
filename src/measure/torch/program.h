// A sequence of kernels with the buffers they share, as the plugin keeps it.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/measure/runner/torch_abi.h"

namespace wattree::torch_plugin {

// An error that the caller is told by its code; any other exception is an internal one.
struct Problem : std::runtime_error {
  Problem(std::int32_t error_code, const std::string& message, std::string advice = "")
      : std::runtime_error(message), code(error_code), hint(std::move(advice)) {}
  std::int32_t code;
  std::string hint;
};

inline constexpr char kSmaller[] = "choose a smaller batch (-b) or length (-s), or another dtype";

struct Operand {
  int storage = 0;
  at::ScalarType dtype = at::kFloat;
  std::int64_t offset = 0;
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> stride;
};

// What a kernel is called with, and what comes back.
struct Arguments {
  const std::vector<at::Tensor>& inputs;
  const std::vector<double>& numbers;
  const std::vector<Operand>& outputs;
  at::Device device;

  const at::Tensor& in(std::size_t i) const { return inputs.at(i); }
  c10::optional<at::Tensor> optional_in(std::size_t i) const {
    return i < inputs.size() ? c10::optional<at::Tensor>(inputs[i]) : c10::nullopt;
  }
  double number(std::size_t i, double otherwise) const {
    return i < numbers.size() ? numbers[i] : otherwise;
  }
  std::int64_t whole(std::size_t i, std::int64_t otherwise) const {
    return i < numbers.size() ? static_cast<std::int64_t>(numbers[i]) : otherwise;
  }
};
using Kernel = std::function<std::vector<at::Tensor>(const Arguments&)>;

// The kernel of an ATen op by its name without overload; empty where the plugin has none.
Kernel find_kernel(const std::string& name);

// Which input holds indices, and what they must stay below.
struct IndexUse {
  std::size_t input;
  std::int64_t limit;
};

struct Step {
  std::string name;
  std::string scope;
  Kernel kernel;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<double> numbers;
  std::vector<IndexUse> indices;
  std::vector<int> last_uses;  // Storages that nobody needs after this step.
};

// What a storage holds before the first step, where no step makes it.
enum class Fill { kNormal, kSmall, kOnes, kZeros, kPositive, kIndex, kEnds };

struct Storage {
  std::int64_t elements = 0;
  at::ScalarType dtype = at::kFloat;
  bool is_weight = false;
  bool is_given = true;     // Not made by a step.
  std::int64_t source = 0;  // In a script: the storage that it is there.
  bool is_look_up = false;  // Only some rows of it are read.
  Fill fill = Fill::kNormal;
  std::int64_t limit = 0;  // Of indices, and of ends: where each group of rows ends.
};

struct Program {
  std::vector<Step> steps;
  std::vector<Storage> storages;
  bool allows_tf32 = false;
  std::function<at::Tensor(std::int64_t)> kept;  // What a script has of a storage; may be empty.
};

Program read_program(const WattreeProgram& given, const std::function<Kernel(int)>& recorded);

// Works out what is given, how it is filled, and where storages die. To be called again when a step
// has changed.
void link(Program& program);

at::ScalarType scalar_type(std::int32_t dtype);

}  // namespace wattree::torch_plugin
