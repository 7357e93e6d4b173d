#include "src/predict/fit/single_op.h"

#include <charconv>
#include <optional>

#include "src/models/symbolic/trace.h"
#include "src/models/tree/cost.h"
#include "src/models/tree/find_op.h"
#include "src/models/tree/op_work.h"

namespace wattree {
namespace {

struct Spec {
  DType dtype = DType::kFloat32;
  Dims size;
  std::optional<Dims> stride;  // Nothing: contiguous.
};

// "16,128" up to `close`; moves past it.
std::optional<Dims> parse_list(std::string_view& text, char close) {
  Dims out;
  while (!text.empty() && text.front() != close) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || out.rank() == Dims::kMaxRank) return std::nullopt;
    out.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return out;
}

// "bf16[16,128]{1,16}"
std::optional<Spec> parse_spec(std::string_view text) {
  Spec spec;
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return std::nullopt;
  bool is_known = false;
  for (const DType type : {DType::kFloat32, DType::kBfloat16, DType::kFloat16, DType::kFloat64,
                           DType::kInt64, DType::kInt32, DType::kInt8, DType::kBool}) {
    if (short_name(type) == text.substr(0, bracket)) {
      spec.dtype = type;
      is_known = true;
    }
  }
  if (!is_known) return std::nullopt;
  text.remove_prefix(bracket + 1);
  const auto size = parse_list(text, ']');
  if (!size) return std::nullopt;
  spec.size = *size;
  if (text.starts_with('{')) {
    text.remove_prefix(1);
    spec.stride = parse_list(text, '}');
    if (!spec.stride || spec.stride->rank() != spec.size.rank()) return std::nullopt;
  }
  return text.empty() ? std::optional(spec) : std::nullopt;
}

// Which inputs are weights: a window does not say, but the op and its module do. Without a module,
// a product's matrix that lies transposed is one, as that of every Linear.
bool is_weight(const MeasuredWindow& window, Op op, std::size_t input, const Spec& spec) {
  if (!work_of_op(op).has_weight(input)) return false;
  return op != Op::kMm || spec.stride || window.node.type != facts_of(op).type;
}

}  // namespace

Result<ModelTree> tree_of_op(const MeasuredWindow& window) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidInput, window.key + ": " + why, ""};
  };
  const auto op = find_op(window.node.op);
  if (!op) return refuse("no tree has an op " + window.node.op);
  Pass pass;
  // Weights take the precision of the pass, so that it is the one of what comes out.
  std::vector<Tensor> tensors;
  tensors.reserve(window.node.inputs.size() + window.node.outputs.size());
  std::vector<Spec> specs;
  for (const auto* list : {&window.node.inputs, &window.node.outputs}) {
    for (const std::string& text : *list) {
      const auto spec = parse_spec(text);
      if (!spec) return refuse("\"" + text + "\" is no tensor");
      specs.push_back(*spec);
    }
  }
  if (window.node.outputs.empty()) return refuse("it has no outputs");
  pass.precision = specs[window.node.inputs.size()].dtype == DType::kBfloat16  ? Precision::kBf16
                   : specs[window.node.inputs.size()].dtype == DType::kFloat16 ? Precision::kFp16
                                                                               : Precision::kFp32;
  if (window.pass.dtype == "tf32") pass.precision = Precision::kTf32;
  Trace trace(pass);
  {
    Module module(trace, "", window.node.type);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const Spec& spec = specs[i];
      Tensor tensor = spec.stride ? Tensor(&trace, spec.dtype, spec.size, *spec.stride)
                                  : trace.tensor(spec.dtype, spec.size);
      if (i < window.node.inputs.size() && is_weight(window, *op, i, spec)) {
        tensor.parameter = trace.parameter(spec.size).parameter;
      }
      tensors.push_back(tensor);
    }
    std::vector<const Tensor*> inputs;
    for (std::size_t i = 0; i < window.node.inputs.size(); ++i) inputs.push_back(&tensors[i]);
    trace.emit(*op, inputs, std::span(tensors).subspan(window.node.inputs.size()),
               {window.node.is_causal ? 1.0 : 0.0});
  }
  Result<ModelTree> finished = trace.finish();
  if (!finished.ok()) return finished.error();
  ModelTree tree = std::move(finished).value();
  for (const Node& node : tree.nodes()) {
    if (node.op == *op && !has_cost(*op, tree.inputs(node), tree.outputs(node))) {
      return refuse(window.node.op + " has other inputs than that");
    }
  }
  if (const Status failure = add_costs(tree); !failure.ok()) return failure.error();
  return tree;
}

}  // namespace wattree
