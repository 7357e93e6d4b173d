#include "src/models/symbolic/trace.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "src/models/tree/causal.h"

namespace wattree {
namespace {

// A tensor beyond a quadrillion elements is no model's but a mistake.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 50;

std::string text_of(const Dims& size) {
  std::string out = "[";
  for (int i = 0; i < size.rank(); ++i) out += (i ? ", " : "") + std::to_string(size[i]);
  return out + "]";
}

// How much a tensor holds.
struct Extent {
  std::int64_t elements = 1;
  std::int64_t touched = 1;  // In memory: those of an expanded dimension are one and the same.
  std::int64_t sizes = 0;    // The bits of all sizes together: no size is larger.

  bool fits() const { return sizes <= Shape::kLargest && elements <= kMaxElements; }
};

inline Extent extent_of(const Dims& size, const Dims& stride) {
  Extent extent;
  for (int i = 0; i < size.rank(); ++i) {
    extent.elements = saturating_mul(extent.elements, size[i]);
    if (stride[i] != 0 || size[i] <= 1) extent.touched = saturating_mul(extent.touched, size[i]);
    extent.sizes |= size[i];
  }
  return extent;
}

// How an activation lies in memory, seen from what comes out.
std::uint8_t layout_of(const Tensor& input, const Tensor& output) {
  std::uint8_t layout = 0;
  if (!input.is_contiguous()) layout |= Layout::kStridedInput;
  if (layout == 0 && output.is_contiguous()) return layout;
  const int missing = output.rank() - input.rank();
  bool is_other_order = input.size == output.size;
  if (is_other_order) {
    is_other_order = false;
    for (int i = 0; i < input.rank(); ++i) {
      is_other_order |= input.size[i] > 1 && input.stride[i] != output.stride[i];
    }
  }
  if (is_other_order) layout |= Layout::kReorderedInput;
  for (int i = std::max(0, missing); i < output.rank(); ++i) {
    if (output.size[i] <= 1 || output.stride[i] != 1) continue;
    const int from = i - missing;
    if (input.size[from] > 1 && input.stride[from] > 1) layout |= Layout::kCrossedInput;
  }
  return layout;
}

}  // namespace

Trace::Trace(const Pass& pass) : pass_(pass) {
  tree_.precision = pass.precision;
  tree_.has_dataflow = pass.keeps_dataflow;
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
  weight.storage = weight_storage(weight.parameter);
  hold(weight);
  return weight;
}

void Trace::hold(const Tensor& weight) {
  const Extent extent = extent_of(weight.size, weight.stride);
  if (!frames_.empty() && !extent.fits()) fail_size(weight.size, frames_.back().scope);
  weights_.push_back({weight.parameter, -1, extent.elements, weight.rank() >= 2});
}

Tensor Trace::given(Held held, DType type, const Dims& size) {
  Tensor out(this, type, size);
  // What a part of the model that is not called would read is not there, but its buffers are.
  if (uncalled_ == 0 || held == Held::kBuffer) {
    tree_.append_held({out.storage, held, saturating_mul(out.elements(), byte_size(type))});
  }
  return out;
}

void Trace::keep_in(const Tensor& x, std::size_t depth) {
  if (failed() || uncalled_ > 0) return;
  if (depth >= variables_.size()) variables_.resize(depth + 1);
  variables_[depth].push_back(x.storage);
}

void Trace::keep_until_now(std::initializer_list<const Tensor*> tensors) {
  if (failed() || uncalled_ > 0) return;
  for (const Tensor* x : tensors) tree_.append_kept({x->storage, tree_.node_count() - 1});
}

void Trace::fail_size(const Dims& size, std::string_view scope) {
  fail("a tensor at \"" + std::string(scope) + "\" would have " + text_of(size) + " elements");
}

void Trace::fail_operands(Op op, std::size_t count) {
  fail(std::string(facts_of(op).aten) + " at \"" + std::string(frames_.back().scope) +
       "\" would have " + std::to_string(count) + " tensors; an operation has at most " +
       std::to_string(Node::kMaxOperands));
}

void Trace::fail_count() {
  fail("the model has more than " + std::to_string(pass_.max_nodes) + " operations");
  if (pass_.max_nodes >= Pass().max_nodes) return;
  // Somebody's limit, and not the program's own.
  failure_ =
      Error{failure_.error().code, failure_.error().message,
            "ask for fewer layers with <set>; the command line builds larger trees", "config"};
}

// "parent:word", and "parent:word.k" from the second one on.
std::string_view Trace::op_scope(const OpFacts& facts) {
  const Frame& frame = frames_.back();
  const auto seen =
      std::find_if(words_.begin() + static_cast<std::ptrdiff_t>(frame.words), words_.end(),
                   [&](const auto& entry) { return entry.first == facts.counted_as; });
  if (seen == words_.end()) {
    words_.emplace_back(facts.counted_as, 1);
    return tree_.keep(frame.scope, facts.suffix);
  }
  char number[16] = {'.'};
  const char* end = std::to_chars(number + 1, std::end(number), seen->second++).ptr;
  return tree_.keep(frame.scope, facts.suffix, {number, static_cast<std::size_t>(end - number)});
}

Tensor Trace::emit(Op op, std::span<const Tensor* const> inputs, std::span<const Tensor> outputs,
                   std::initializer_list<double> numbers) {
  if (failed() || frames_.empty() || uncalled_ > 0) return outputs.front();
  if (tree_.nodes().size() >= pass_.max_nodes) {
    fail_count();
    return outputs.front();
  }
  if (inputs.size() > Node::kMaxOperands) {
    fail_operands(op, inputs.size());
    return outputs.front();
  }
  const OpFacts& facts = facts_of(op);
  Node& node = tree_.append(tree_.node_count(), outputs.front().size);
  node.op = op;
  node.level = facts.level;
  node.type = facts.type;
  node.scope = op_scope(facts);
  node.run = frames_.back().run;
  node.operands = tree_.operand_count();
  node.inputs = static_cast<std::uint8_t>(inputs.size());
  node.outputs = static_cast<std::uint8_t>(outputs.size());
  std::uint8_t layout = 0;
  for (const Tensor* input : inputs) {
    append_operand(*input, node.scope);
    if (!input->is_weight()) {
      layout |= layout_of(*input, outputs.front());
    } else if (!input->is_contiguous()) {
      layout |= Layout::kTransposedWeight;
    }
  }
  if (op == Op::kSdpa && numbers.size() > 0 && *numbers.begin() > 0) layout |= kCausalLayout;
  node.layout = layout & 15U;
  for (const Tensor& output : outputs) append_operand(output, node.scope);
  if (tree_.has_dataflow && numbers.size() > 0) tree_.append_numbers(node, numbers);
  return outputs.front();
}

void Trace::append_operand(const Tensor& tensor, std::string_view scope) {
  const Extent extent = extent_of(tensor.size, tensor.stride);
  if (!extent.fits()) fail_size(tensor.size, scope);
  tree_.append_operand(tensor.size, extent.touched, tensor.dtype, tensor.is_weight(),
                       tensor.storage);
  if (tree_.has_dataflow) tree_.append_placement(tensor.offset, tensor.stride);
}

void Trace::open(std::string_view name, std::string_view type, Level level, bool folds,
                 std::int32_t run) {
  // Also here: a part of the model that is not called has modules, but no kernels.
  if (!failed() && tree_.nodes().size() >= pass_.max_nodes) fail_count();
  if (failed()) {
    // Only the nesting is kept, so that memory stays bounded whatever comes after.
    frames_.push_back(
        {{}, {}, level, run, 0, words_.size(), weights_.size(), next_parameter_, folds});
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
  frames_.push_back({scope, tree_.keep(type), level, run, tree_.node_count(), words_.size(),
                     weights_.size(), resume, folds});
}

void Trace::close(const Dims& shape) {
  const Frame frame = frames_.back();
  const std::size_t depth = frames_.size();
  frames_.pop_back();
  words_.resize(frame.words);
  if (failed()) {
    weights_.resize(frame.weights);
    return;
  }
  next_parameter_ = std::max(next_parameter_, frame.resume);
  if (uncalled_ == 0 && !extent_of(shape, contiguous_strides(shape)).fits())
    fail("the result of \"" + std::string(frame.scope) + "\" is too large");
  const std::int32_t count = tree_.node_count();
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
    Node& node = tree_.append(frame.first, uncalled_ == 0 ? shape : Dims());
    node.scope = frame.scope;
    node.type = frame.type;
    node.level = frame.level;
    node.run = frame.run;
  }
  for (std::size_t i = frame.weights; i < weights_.size(); ++i) {
    weights_[i].node = index;
    tree_.append_parameter(weights_[i]);
  }
  weights_.resize(frame.weights);
  for (std::size_t deeper = depth; deeper < variables_.size(); ++deeper) {
    for (const std::int32_t storage : variables_[deeper]) tree_.append_kept({storage, index});
    variables_[deeper].clear();
  }
}

Result<ModelTree> Trace::finish() {
  if (!failure_.ok()) return failure_.error();
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
