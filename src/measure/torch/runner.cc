#include "src/measure/torch/runner.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "src/measure/torch/text.h"

namespace wattree::torch_plugin {
namespace {

// As of wattree::CacheState.
enum Cache : std::int32_t { kNatural, kCold, kInPlace, kWarm };

constexpr std::int64_t kMaxSets = 512;
constexpr double kWeightDeviation = 0.02;

std::int64_t bytes_of(const Storage& storage) {
  return storage.elements * static_cast<std::int64_t>(c10::elementSize(storage.dtype));
}

// Strides of dimensions with one element say nothing.
bool has_layout(const at::Tensor& tensor, const Operand& expected) {
  if (tensor.scalar_type() != expected.dtype || tensor.sizes() != at::IntArrayRef(expected.size) ||
      tensor.storage_offset() != expected.offset) {
    return false;
  }
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.size(i) > 1 && tensor.stride(i) != expected.stride[static_cast<std::size_t>(i)])
      return false;
  }
  return true;
}

std::string text_of(at::IntArrayRef sizes) {
  std::ostringstream out;
  out << sizes;
  return out.str();
}

}  // namespace

Runner::Runner(Device& device, Program program, const WattreeLaunchOptions& options)
    : device_(device), program_(std::move(program)), cache_(options.cache) {
  // A host may promise memory that it does not have, and then end the process.
  double bytes = 0;
  for (const Storage& storage : program_.storages) {
    if (storage.is_given) bytes += static_cast<double>(bytes_of(storage));
  }
  if (bytes > static_cast<double>(device.facts().memory_bytes)) {
    throw Problem(WATTREE_ERROR_UNAVAILABLE,
                  "weights and inputs take " + std::to_string(bytes / 1e9) +
                      " GB, and the device has " +
                      std::to_string(static_cast<double>(device.facts().memory_bytes) / 1e9),
                  kSmaller);
  }
  given_.resize(1);
  given_[0].resize(program_.storages.size());
  for (std::size_t i = 0; i < program_.storages.size(); ++i) {
    const Storage& storage = program_.storages[i];
    if (!storage.is_given) continue;
    if (program_.kept) given_[0][i] = program_.kept(storage.source);
    if (!given_[0][i].defined()) given_[0][i] = make(storage);
  }
  try_out();
  rotate(options);
}

at::Tensor Runner::make(const Storage& storage) {
  at::Tensor buffer = at::empty({std::max<std::int64_t>(storage.elements, 1)},
                                at::TensorOptions().dtype(storage.dtype).device(device_.where()));
  fill(buffer, storage);
  return buffer;
}

void Runner::fill(at::Tensor& buffer, const Storage& storage) {
  switch (storage.fill) {
    case Fill::kNormal: buffer.normal_(0, 1, device_.generator()); break;
    case Fill::kSmall: buffer.normal_(0, kWeightDeviation, device_.generator()); break;
    case Fill::kPositive: buffer.uniform_(0.1, 2, device_.generator()); break;
    case Fill::kOnes: buffer.fill_(1); break;
    case Fill::kZeros: buffer.zero_(); break;
    case Fill::kIndex:
      buffer.random_(0, std::max<std::int64_t>(storage.limit, 1), device_.generator());
      break;
    case Fill::kEnds: {
      // Groups as equal as can be.
      const at::Tensor ends = at::arange(1, buffer.numel() + 1, buffer.options().dtype(at::kLong));
      buffer.copy_(at::floor_divide(ends * storage.limit, buffer.numel()));
      break;
    }
  }
}

at::Tensor Runner::view(const Values& values, const Operand& operand) const {
  const at::Tensor& base = values[static_cast<std::size_t>(operand.storage)];
  return base.as_strided(operand.size, operand.stride, operand.offset);
}

std::vector<at::Tensor> Runner::call(Step& step, Values& values) {
  inputs_.clear();
  for (const Operand& input : step.inputs) inputs_.push_back(view(values, input));
  return step.kernel({inputs_, step.numbers, step.outputs, device_.where()});
}

int Runner::add_buffer(const Operand& like, Fill fill_with, std::int64_t limit) {
  Storage storage;
  storage.elements = like.offset + 1;
  for (std::size_t i = 0; i < like.size.size(); ++i)
    storage.elements += (like.size[i] - 1) * like.stride[i];
  storage.dtype = like.dtype;
  storage.fill = fill_with;
  storage.limit = limit;
  storage.source = -1;  // Nobody's.
  program_.storages.push_back(storage);
  given_[0].push_back(make(storage));
  ++unlinked_;
  return static_cast<int>(program_.storages.size()) - 1;
}

// What an earlier step made may be no index into this table, where numbers that steer the model
// are not known. A GPU would not forgive it.
void Runner::check_indices(Step& step, Values& values) {
  for (const IndexUse& use : step.indices) {
    Operand& operand = step.inputs[use.input];
    const at::Tensor index = view(values, operand);
    if (index.numel() == 0) continue;
    const auto least = index.min().item<std::int64_t>();
    const auto most = index.max().item<std::int64_t>();
    if (least >= 0 && most < use.limit) continue;
    operand.storage = add_buffer(operand, Fill::kIndex, use.limit);
    values.push_back(given_[0].back());
  }
}

void Runner::try_out() {
  Values values = given_[0];
  for (std::size_t s = 0; s < program_.steps.size(); ++s) {
    Step& step = program_.steps[s];
    check_indices(step, values);
    std::vector<at::Tensor> results;
    try {
      results = call(step, values);
    } catch (const Problem&) {
      throw;
    } catch (const c10::Error& error) {
      const std::string what = first_line(error.what_without_backtrace());
      if (what.find("out of memory") != std::string::npos ||
          what.find("CUDA error") != std::string::npos ||
          what.find("allocate") != std::string::npos)
        throw;
      throw Problem(WATTREE_ERROR_INPUT,
                    "\"" + step.scope + "\": PyTorch refuses to run " + step.name + ": " + what);
    }
    if (results.empty() || results[0].sizes() != at::IntArrayRef(step.outputs[0].size)) {
      throw Problem(WATTREE_ERROR_INTERNAL,
                    "\"" + step.scope + "\": " + step.name + " gives " +
                        text_of(results.empty() ? at::IntArrayRef() : results[0].sizes()) +
                        " and not " + text_of(step.outputs[0].size));
    }
    for (std::size_t o = 0; o < step.outputs.size(); ++o) {
      Operand& output = step.outputs[o];
      const auto at = static_cast<std::size_t>(output.storage);
      if (program_.storages[at].is_given) continue;  // Written in place.
      const bool is_in_place = values[at].defined();
      if (is_in_place) continue;
      if (o < results.size() && has_layout(results[o], output)) {
        values[at] = results[o];
        continue;
      }
      // Another layout than expected: later steps read a buffer of the expected one instead.
      bool is_read = false;
      for (std::size_t later = s + 1; later < program_.steps.size(); ++later) {
        for (const Operand& input : program_.steps[later].inputs)
          is_read |= input.storage == output.storage;
      }
      if (!is_read) continue;
      Operand whole = output;
      whole.offset = 0;
      whole.size = {program_.storages[at].elements};
      whole.stride = {1};
      const bool is_float = at::isFloatingType(output.dtype);
      const int instead = add_buffer(whole, is_float ? Fill::kNormal : Fill::kZeros, 0);
      values.push_back(given_[0].back());
      for (std::size_t later = s + 1; later < program_.steps.size(); ++later) {
        for (std::vector<Operand>* operands :
             {&program_.steps[later].inputs, &program_.steps[later].outputs}) {
          for (Operand& operand : *operands) {
            if (operand.storage == static_cast<int>(at)) operand.storage = instead;
          }
        }
      }
    }
    for (const int storage : step.last_uses) values[static_cast<std::size_t>(storage)].reset();
  }
  const std::vector<Storage> before = program_.storages;
  link(program_);
  // What is filled already stays as it is.
  for (std::size_t i = 0; i < before.size(); ++i) {
    program_.storages[i].fill = before[i].fill;
    program_.storages[i].limit = before[i].limit;
  }
  device_.synchronize();
}

bool Runner::is_rotated(const Storage& storage) const {
  if (!storage.is_given) return false;
  if (cache_ == kInPlace) return storage.is_weight;
  return cache_ == kCold && !storage.is_look_up;
}

// Enough sets for twice the cache, as far as memory allows.
void Runner::rotate(const WattreeLaunchOptions&) {
  if (cache_ != kCold && cache_ != kInPlace) return;
  std::int64_t bytes = 0;
  for (const Storage& storage : program_.storages) {
    const bool is_result = !storage.is_given && cache_ == kCold;
    if (is_rotated(storage) || is_result) bytes += bytes_of(storage);
  }
  if (bytes == 0) return;
  const std::int64_t wanted = (2 * device_.facts().cache_bytes + bytes - 1) / bytes;
  const std::int64_t affordable = device_.free_bytes() / 2 / bytes;
  sets_ = static_cast<int>(std::max<std::int64_t>(1, std::min({wanted, affordable, kMaxSets})));
  for (int set = 1; set < sets_; ++set) {
    Values values = given_[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_rotated(program_.storages[i])) values[i] = make(program_.storages[i]);
    }
    given_.push_back(std::move(values));
  }
  // Results of a cold run take turns as well, if it is one op; within a module they are written and
  // read again soon, as in a pass.
  if (cache_ == kCold && program_.steps.size() == 1) held_.resize(static_cast<std::size_t>(sets_));
}

void Runner::keep_results(const Step& step, const std::vector<at::Tensor>& results,
                          Values& values) const {
  for (std::size_t o = 0; o < step.outputs.size() && o < results.size(); ++o) {
    const auto at = static_cast<std::size_t>(step.outputs[o].storage);
    if (!program_.storages[at].is_given && !values[at].defined()) values[at] = results[o];
  }
}

void Runner::run(int turn) {
  const auto set = static_cast<std::size_t>(turn % sets_);
  Values values = given_[set];
  for (Step& step : program_.steps) {
    std::vector<at::Tensor> results = call(step, values);
    keep_results(step, results, values);
    if (!held_.empty()) held_[set] = results;
    for (const int storage : step.last_uses) values[static_cast<std::size_t>(storage)].reset();
  }
  inputs_.clear();
}

std::vector<at::Tensor> Runner::results_of(const std::vector<std::int64_t>& sources) {
  Values values = given_[0];
  for (Step& step : program_.steps) {
    const std::vector<at::Tensor> results = call(step, values);
    keep_results(step, results, values);
  }
  inputs_.clear();
  std::vector<at::Tensor> found;
  for (const std::int64_t source : sources) {
    found.emplace_back();
    for (std::size_t i = 0; i < program_.storages.size(); ++i) {
      if (program_.storages[i].source == source && values[i].defined()) found.back() = values[i];
    }
  }
  return found;
}

}  // namespace wattree::torch_plugin
