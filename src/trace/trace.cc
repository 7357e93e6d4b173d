#include "src/trace/trace.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace wattree {
namespace {

// A tensor beyond a quadrillion elements is no model's but a mistake.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 50;

std::string text_of(const Dims& size) {
  std::string out = "[";
  for (int i = 0; i < size.rank(); ++i) out += (i ? ", " : "") + std::to_string(size[i]);
  return out + "]";
}

bool fits(const Dims& size) {
  return element_count(size) <= kMaxElements &&
         std::all_of(size.begin(), size.end(), [](std::int64_t n) { return n <= Shape::kLargest; });
}

Operand operand_of(const Tensor& tensor) {
  std::int64_t touched = 1;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.stride[i] != 0 || tensor.size[i] <= 1)
      touched = saturating_mul(touched, tensor.size[i]);
  }
  return {tensor.size, touched, tensor.dtype, tensor.is_weight()};
}

}  // namespace

Trace::Trace(const Pass& pass) : pass_(pass) {
  tree_.precision = pass.precision;
  tree_.reserve();
}

void Trace::fail(std::string message) {
  if (failed()) return;
  failure_ = Error{ErrorCode::kInvalidInput, std::move(message), ""};
}

void Trace::fail_shapes(std::string_view what, const Dims& from, const Dims& to) {
  const std::string scope(frames_.empty() ? std::string_view() : frames_.back().scope);
  fail("sizes do not fit together at \"" + scope + "\": " + std::string(what) + " of " +
       text_of(from) + " as " + text_of(to));
}

Tensor Trace::parameter(const Dims& size) {
  Tensor weight(this, dtype(), size);
  weight.parameter = next_parameter_++;
  hold(weight);
  return weight;
}

void Trace::hold(const Tensor& weight) {
  if (!frames_.empty()) check_size(weight, frames_.back().scope);
  held_.emplace_back(weight.parameter, weight.elements());
}

void Trace::check_size(const Tensor& tensor, std::string_view scope) {
  if (fits(tensor.size)) return;
  fail("a tensor at \"" + std::string(scope) + "\" would have " + text_of(tensor.size) +
       " elements");
}

// "parent:word", and "parent:word.k" from the second one on.
std::string_view Trace::op_scope(Op op) {
  const Frame& frame = frames_.back();
  const std::string_view word = facts_of(op).word;
  int count = 0;
  auto seen = std::find_if(words_.begin() + static_cast<std::ptrdiff_t>(frame.words), words_.end(),
                           [&](const auto& entry) { return entry.first == word; });
  if (seen == words_.end()) {
    words_.emplace_back(word, 1);
  } else {
    count = seen->second++;
  }
  char suffix[64] = {':'};
  char* end = std::copy(word.begin(), word.end(), suffix + 1);
  if (count > 0) {
    *end++ = '.';
    end = std::to_chars(end, suffix + sizeof suffix, count).ptr;
  }
  return tree_.keep(frame.scope, {suffix, static_cast<std::size_t>(end - suffix)});
}

Tensor Trace::emit(Op op, std::span<const Tensor* const> inputs, std::span<const Tensor> outputs) {
  if (failed() || frames_.empty() || uncalled_ > 0) return outputs.front();
  if (tree_.nodes().size() >= pass_.max_nodes) {
    fail("the model has more than " + std::to_string(pass_.max_nodes) + " operations");
    return outputs.front();
  }
  Node node;
  node.op = op;
  node.level = facts_of(op).level;
  node.type = facts_of(op).type;
  node.scope = op_scope(op);
  node.first = static_cast<std::int32_t>(tree_.nodes().size());
  node.run = frames_.back().run;
  node.shape = outputs.front().size;
  node.operands = tree_.operand_count();
  node.inputs = static_cast<std::uint8_t>(inputs.size());
  node.outputs = static_cast<std::uint8_t>(outputs.size());
  auto append = [&](const Tensor& tensor) {
    check_size(tensor, node.scope);
    tree_.append_operand(operand_of(tensor));
  };
  for (const Tensor* input : inputs) append(*input);
  for (const Tensor& output : outputs) append(output);
  tree_.append(node);
  return outputs.front();
}

void Trace::open(std::string_view name, std::string_view type, Level level, bool folds,
                 std::int32_t run) {
  if (failed()) {
    // Only the nesting is kept, so that memory stays bounded whatever comes after.
    frames_.push_back({{}, {}, level, run, 0, words_.size(), held_.size(), next_parameter_, folds});
    return;
  }
  std::string_view scope;
  if (name.starts_with('/')) {
    scope = tree_.keep(name.substr(1));
  } else if (!frames_.empty()) {
    const std::string_view parent = frames_.back().scope;
    scope = parent.empty() ? tree_.keep(name) : tree_.keep(parent, ".", name);
  }
  const std::int32_t resume = next_parameter_;
  if (run >= 0) {
    // The same module again: it has the weights it had the first time.
    next_parameter_ = first_runs_.emplace(scope, next_parameter_).first->second;
  }
  if (run < 0 && !frames_.empty()) run = frames_.back().run;
  if (frames_.empty()) level = Level::kModel;
  frames_.push_back({scope, tree_.keep(type), level, run,
                     static_cast<std::int32_t>(tree_.nodes().size()), words_.size(), held_.size(),
                     resume, folds});
}

void Trace::close(const Dims& shape) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  words_.resize(frame.words);
  if (failed()) {
    held_.resize(frame.parameters);
    return;
  }
  next_parameter_ = std::max(next_parameter_, frame.resume);
  if (uncalled_ == 0 && !fits(shape))
    fail("the result of \"" + std::string(frame.scope) + "\" is too large");
  const auto count = static_cast<std::int32_t>(tree_.nodes().size());
  std::int32_t index = count;
  if (frame.folds && count == frame.first + 1 && tree_.nodes().back().op != Op::kNone) {
    // A primitive that is one kernel is that kernel, under the module's own name.
    index = count - 1;
    Node& leaf = tree_.nodes().back();
    leaf.scope = frame.scope;
    leaf.type = frame.type;
    leaf.level = frame.level;
    leaf.run = frame.run;
    leaf.shape = shape;
  } else {
    Node node;
    node.scope = frame.scope;
    node.type = frame.type;
    node.level = frame.level;
    node.run = frame.run;
    node.first = frame.first;
    if (uncalled_ == 0) node.shape = shape;
    tree_.append(node);
  }
  for (std::size_t i = frame.parameters; i < held_.size(); ++i) {
    tree_.append_parameter({held_[i].first, index, held_[i].second});
  }
  held_.resize(frame.parameters);
}

Result<ModelTree> Trace::finish() {
  if (failure_) return *failure_;
  if (tree_.nodes().empty()) return Error{ErrorCode::kInternal, "the model has no nodes", ""};
  return std::move(tree_);
}

Module::Module(Trace& trace, std::string_view name, std::string_view type, Kind kind,
               std::int32_t run)
    : trace_(trace) {
  trace_.open(name, type, kind == Kind::kModule ? Level::kModule : Level::kMl,
              kind == Kind::kPrimitive, run);
}

Module::~Module() { trace_.close(shape_); }

Tensor Module::returns(const Tensor& result) {
  shape_ = result.size;
  return result;
}

void unused_module(Trace& trace, std::string_view name, std::string_view type, Module::Kind kind,
                   std::initializer_list<Dims> weights) {
  Module module(trace, name, type, kind);
  for (const Dims& size : weights) trace.parameter(size);
}

}  // namespace wattree
