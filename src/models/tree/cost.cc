#include "src/models/tree/cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/base/checked.h"
#include "src/models/tree/op_work.h"

namespace wattree {
namespace {

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t out = 1;
  for (std::int64_t factor : factors) out = saturating_mul(out, factor);
  return out;
}

struct Kernel {
  Op op;
  std::span<const Operand> in;
  std::span<const Operand> out;
  double experts_per_token;
};

const Shape& size_of(std::span<const Operand> operands, std::size_t i) { return operands[i].size; }

std::int64_t matmul_flops(const Kernel& k) {
  switch (facts_of(k.op).op_class) {
    case OpClass::kMatmul: {
      // Every element on the left meets a row of the right one; with several right ones (a batch,
      // or experts of which each row has its own), that of its own.
      const std::size_t left = work_of_op(k.op).left;
      const Shape& right = size_of(k.in, left + 1);
      return product({2, element_count(size_of(k.in, left)), right[right.rank() - 1]});
    }
    case OpClass::kConvolution: {
      // Every output element is a dot product over one kernel: weight is [out, in / groups, …].
      const Shape& weight = size_of(k.in, 1);
      std::int64_t dot = 2;
      for (int i = 1; i < weight.rank(); ++i) dot = saturating_mul(dot, weight[i]);
      return saturating_mul(dot, element_count(size_of(k.out, 0)));
    }
    case OpClass::kAttention: {
      const Shape& q = size_of(k.in, 0);
      const Shape& keys = size_of(k.in, 1);
      const Shape& values = size_of(k.in, 2);
      const std::int64_t scores = product({2, q[0], q[1], q[2], q[3], keys[2]});
      return saturating_add(scores, product({2, q[0], q[1], q[2], keys[2], values[3]}));
    }
    case OpClass::kRecurrent: {
      // in: x [s, b, i], then per direction and layer w_ih [4h, i] and w_hh [4h, h].
      const Shape& x = size_of(k.in, 0);
      std::int64_t weights = 0;
      for (std::size_t i = 1; i < k.in.size(); ++i) {
        if (k.in[i].is_weight && k.in[i].size.rank() == 2) {
          weights = saturating_add(weights, element_count(k.in[i].size));
        }
      }
      return product({2, x[0], x[1], weights});
    }
    default: return 0;
  }
}

std::int64_t recurrent_layers(const Kernel& k) {
  return static_cast<std::int64_t>(k.in.size()) / 4;  // Two matrices and two biases each.
}

std::int64_t other_flops(const Kernel& k) {
  const std::int64_t each = work_of_op(k.op).operations;
  if (each == 0) return 0;
  const std::int64_t out = k.out.empty() ? 0 : element_count(size_of(k.out, 0));
  switch (facts_of(k.op).op_class) {
    case OpClass::kConvolution: return k.in.size() > 2 ? saturating_mul(out, each) : 0;
    case OpClass::kAttention: {
      const Shape& q = size_of(k.in, 0);
      const std::int64_t scores = product({q[0], q[1], q[2], size_of(k.in, 1)[2]});
      return saturating_mul(scores, each + (k.in.size() > 3 ? 1 : 0));  // A mask is added.
    }
    case OpClass::kRecurrent: return saturating_mul(out, each * recurrent_layers(k));
    case OpClass::kReduction:
      return k.in.empty() ? 0 : saturating_mul(element_count(size_of(k.in, 0)), each);
    case OpClass::kGather:  // What is added comes last.
      return saturating_mul(element_count(size_of(k.in, k.in.size() - 1)), each);
    case OpClass::kMatmul:
    case OpClass::kSoftmax:
    case OpClass::kNormalization:
    case OpClass::kElementwise: return saturating_mul(out, each);
    case OpClass::kCopy:
    case OpClass::kFill:
    case OpClass::kNone: return 0;
  }
  return 0;
}

// Bytes read by one input of a kernel that does not read all of it; nothing where it does.
std::optional<std::int64_t> partial_read(const Kernel& k, std::size_t i, Precision precision) {
  const Operand& input = k.in[i];
  if (i == 0 && work_of_op(k.op).form == OpForm::kLookup) {
    // As much as comes out of it, but nothing twice.
    Operand taken = input;
    taken.touched = std::min(input.touched, element_count(size_of(k.out, 0)));
    return byte_count(taken, precision);
  }
  if (i == 1 && k.op == Op::kGroupedMm) {
    const double experts = static_cast<double>(std::max<std::int64_t>(input.size[0], 1));
    const double share =
        experts_at_work(experts, static_cast<double>(size_of(k.in, 0)[0]), k.experts_per_token) /
        experts;
    Operand chosen = input;
    chosen.touched = std::llround(share * static_cast<double>(input.touched));
    return byte_count(chosen, precision);
  }
  return std::nullopt;
}

std::int64_t bytes(const Kernel& k, Precision precision) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < k.in.size(); ++i) {
    total = saturating_add(total,
                           partial_read(k, i, precision).value_or(byte_count(k.in[i], precision)));
  }
  for (const Operand& output : k.out) total = saturating_add(total, byte_count(output, precision));
  return total;
}

// On the way to a sum that fits, a weight that is used again counts more than once: modulo 2^64
// nothing is lost.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Distinct parameters per subtree: every use adds to its node and all above it; where a weight is
// used again, it is taken back at the lowest node that has both uses. Gives the saturated sum of
// all, which no node exceeds.
std::int64_t add_parameters(ModelTree& tree) {
  const auto nodes = tree.nodes();
  std::vector<std::int32_t> last_use;
  std::int64_t total = 0;
  for (const ParameterUse& use : tree.parameters()) {
    Node& holder = nodes[static_cast<std::size_t>(use.node)];
    holder.params = wrapping_add(holder.params, use.elements);
    const auto id = static_cast<std::size_t>(use.id);
    if (id >= last_use.size()) last_use.resize(std::max(id + 1, 2 * last_use.size()), -1);
    if (last_use[id] < 0) {
      total = saturating_add(total, use.elements);
    } else {
      // Uses come in post-order, so consecutive ones meet at the node where the duplicate must go.
      std::int32_t a = last_use[id];
      while (nodes[static_cast<std::size_t>(a)].first > use.node || a < use.node) {
        a = nodes[static_cast<std::size_t>(a)].parent;
      }
      Node& meeting = nodes[static_cast<std::size_t>(a)];
      meeting.params = wrapping_add(meeting.params, -use.elements);
    }
    last_use[id] = use.node;
  }
  return total;
}

}  // namespace

double experts_at_work(double experts, double rows, double per_token) {
  if (experts <= 0 || rows <= 0) return 0;
  const double each = std::clamp(per_token, 1.0, experts);
  return experts * (1 - std::pow(1 - each / experts, rows / each));
}

std::int64_t byte_count(const Operand& operand, Precision precision) {
  const bool is_matrix = operand.is_weight && operand.size.rank() >= 2;
  if (!is_matrix) return saturating_mul(operand.touched, byte_size(operand.dtype));
  const std::int64_t bits = saturating_mul(operand.touched, weight_bits(precision));
  return bits == kSaturated ? kSaturated : bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

bool has_cost(Op op, std::span<const Operand> inputs, std::span<const Operand> outputs) {
  const OpWork& work = work_of_op(op);
  if (op == Op::kNone || outputs.empty() || inputs.size() < work.inputs) return false;
  const auto of_cost = inputs.first(work.inputs).subspan(std::min(work.left, work.inputs));
  return std::all_of(of_cost.begin(), of_cost.end(),
                     [&](const Operand& operand) { return operand.size.rank() >= work.rank; });
}

Status add_costs(ModelTree& tree) {
  const auto too_large = [](std::string_view scope) {
    const std::string what = scope.empty() ? "the model" : "\"" + std::string(scope) + "\"";
    return Error{ErrorCode::kInvalidInput, "the costs of " + what + " do not fit in 63 bits",
                 "use smaller sizes"};
  };
  if (add_parameters(tree) == kSaturated) return too_large(tree.root().scope);
  for (Node& node : tree.nodes()) {
    if (node.op != Op::kNone) {
      const Kernel kernel{node.op, tree.inputs(node), tree.outputs(node),
                          static_cast<double>(tree.experts_per_token)};
      node.matmul_flops = matmul_flops(kernel);
      node.flops = saturating_add(node.matmul_flops, other_flops(kernel));
      node.bytes = bytes(kernel, tree.precision);
    }
    // Post-order: a node is whole when it is reached, and can be added to its parent.
    if (node.flops == kSaturated || node.bytes == kSaturated) return too_large(node.scope);
    if (node.parent >= 0) {
      Node& parent = tree.nodes()[static_cast<std::size_t>(node.parent)];
      parent.params = wrapping_add(parent.params, node.params);
      parent.flops = saturating_add(parent.flops, node.flops);
      parent.matmul_flops = saturating_add(parent.matmul_flops, node.matmul_flops);
      parent.bytes = saturating_add(parent.bytes, node.bytes);
    }
  }
  return {};
}

}  // namespace wattree
