#include "src/predict/predictor/tree_work.h"

#include <algorithm>
#include <vector>

#include "src/base/mib.h"
#include "src/models/tree/causal.h"
#include "src/models/tree/cost.h"
#include "src/models/tree/op_work.h"

namespace wattree {
namespace {

// So many fill what a unit multiplies at a time.
constexpr double kManyChannels = 8;

double bytes_each(const Operand& operand, Precision precision) {
  return operand.touched > 0 ? static_cast<double>(byte_count(operand, precision)) /
                                   static_cast<double>(operand.touched)
                             : 0.0;
}

// An operand that the kernel reads more than once: smaller than what comes out.
bool is_broadcast(const ModelTree& tree, const Node& node) {
  const std::int64_t out = element_count(node.shape);
  for (const Operand& input : tree.inputs(node)) {
    if (input.touched > 1 && input.touched < out) return true;
  }
  return false;
}

// Whether a kernel reads its elements one by one, through a switch over their types: casts other
// than from 32 to 16 bits, and element-wise kernels of operands of different widths.
bool converts(const ModelTree& tree, const Node& node) {
  const auto inputs = tree.inputs(node);
  if (inputs.empty() || node.outputs == 0) return false;
  const DType out = tree.outputs(node).front().dtype;
  if (work_of_op(node.op).form == OpForm::kCast) {
    return !(is_floating(out) && byte_size(out) < byte_size(inputs[0].dtype) &&
             is_floating(inputs[0].dtype));
  }
  return is_floating(out) && std::any_of(inputs.begin(), inputs.end(), [&](const Operand& input) {
           return input.size.rank() > 0 && is_floating(input.dtype) &&
                  byte_size(input.dtype) != byte_size(out);
         });
}

double experts_of(const ModelTree& tree, const Node& node) {
  const auto inputs = tree.inputs(node);
  return experts_at_work(static_cast<double>(inputs[1].size[0]),
                         static_cast<double>(inputs[0].size[0]),
                         static_cast<double>(tree.experts_per_token));
}

Work product_of(const ModelTree& tree, const Node& node) {
  Work work;
  work.kind = WorkKind::kMatmul;
  const Shape& out = node.shape;
  const int rank = out.rank();
  work.n = rank > 0 ? static_cast<double>(out[rank - 1]) : 1;
  work.m = rank > 1 ? static_cast<double>(out[rank - 2]) : 1;
  work.groups = 1;
  for (int i = 0; i + 2 < rank; ++i) work.groups *= static_cast<double>(out[i]);
  const double outputs = work.groups * work.m * work.n;
  work.k = outputs > 0 ? static_cast<double>(node.matmul_flops) / (2 * outputs) : 0;
  for (const Operand& input : tree.inputs(node)) {
    const double bytes = bytes_each(input, tree.precision);
    if (input.is_weight && input.size.rank() > 1) {
      work.kind = WorkKind::kGemm;
      work.weight_width = bytes;
    } else if (input.is_weight && input.size.rank() == 1) {
      work.has_bias = true;
    } else if (input.size.rank() > 1) {
      work.width = bytes;
    }
  }
  work.is_transposed = (node.layout & Layout::kTransposedWeight) != 0;
  work.product_bytes = static_cast<double>(node.bytes);
  work.is_tf32 = tree.precision == Precision::kTf32 && work.width == 4;
  if (work.kind == WorkKind::kGemm) {
    work.m *= work.groups;
    work.groups = node.op == Op::kGroupedMm ? experts_of(tree, node) : 0;
  }
  return work;
}

Work attention_of(const ModelTree& tree, const Node& node) {
  Work work;
  work.kind = WorkKind::kAttention;
  const auto inputs = tree.inputs(node);
  if (inputs.size() < 2 || inputs[0].size.rank() < 3 || inputs[1].size.rank() < 3) return work;
  const Shape& query = inputs[0].size;
  const Shape& key = inputs[1].size;
  work.k = static_cast<double>(query[query.rank() - 1]);
  work.m = static_cast<double>(query[query.rank() - 2]);
  work.n = static_cast<double>(key[key.rank() - 2]);
  work.width = bytes_each(inputs[0], tree.precision);
  // Scores, and the values by them: two products.
  const double one = 2 * work.m * work.n * work.k;
  work.groups = one > 0 ? static_cast<double>(node.matmul_flops) / one : 0;
  work.bytes = static_cast<double>(node.bytes);
  if (inputs.size() > 3) work.masked = work.groups / 2 * work.m * work.n;
  work.is_causal = is_causal(node);
  return work;
}

// Channels are columns, and every place is a row. A recurrent layer has no places.
Work convolution_of(const ModelTree& tree, const Node& node) {
  Work work = product_of(tree, node);
  const auto inputs = tree.inputs(node);
  if (facts_of(node.op).op_class == OpClass::kConvolution && node.shape.rank() > 1) {
    work.n = static_cast<double>(node.shape[1]);
    work.m = work.n > 0 ? static_cast<double>(element_count(node.shape)) / work.n : 0;
    work.channels = static_cast<double>(inputs[1].size[1]);
    work.bytes = static_cast<double>(node.bytes);
    work.is_spatial = node.shape.rank() == 4 && inputs[0].size[1] == inputs[1].size[1] &&
                      work.channels >= kManyChannels;
  }
  work.kind = WorkKind::kConvolution;
  work.groups = work.channels > 0 ? static_cast<double>(inputs[0].size[1]) / work.channels : 0;
  return work;
}

// What reads and writes elements, whatever it does with them.
Work stream_of(const Node& node, WorkKind kind, Work::Detail detail = Work::Detail::kNone) {
  Work work;
  work.kind = kind;
  work.detail = detail;
  work.bytes = static_cast<double>(node.bytes);
  work.elements = static_cast<double>(element_count(node.shape));
  work.is_strided = (node.layout & Layout::kStridedInput) != 0;
  const int rank = node.shape.rank();
  const auto last = rank > 0 ? static_cast<double>(node.shape[rank - 1]) : 1.0;
  work.rows = last > 0 ? work.elements / last : 0;
  return work;
}

// What goes in counts, of which topk gives little out.
Work sort_of(const ModelTree& tree, const Node& node) {
  Work work = stream_of(node, WorkKind::kElementwise, Work::Detail::kSort);
  const auto inputs = tree.inputs(node);
  if (inputs.empty() || inputs[0].size.rank() == 0) return work;
  const Shape& in = inputs[0].size;
  work.elements = static_cast<double>(element_count(in));
  const auto last = static_cast<double>(in[in.rank() - 1]);
  work.rows = last > 0 ? work.elements / last : 0;
  return work;
}

Work copy_of(const ModelTree& tree, const Node& node) {
  const OpForm form = work_of_op(node.op).form;
  if (form == OpForm::kJoin) {
    Work join = stream_of(node, WorkKind::kCopy, Work::Detail::kJoin);
    // One block joined to nothing, as caches begin, is copied element by element.
    join.is_strided = join.is_strided || tree.inputs(node).size() == 1;
    return join;
  }
  const bool is_cast = form == OpForm::kCast;
  Work work = stream_of(node, WorkKind::kCopy, is_cast ? Work::Detail::kCast : Work::Detail::kNone);
  work.converts = is_cast && converts(tree, node);
  work.is_crossed = (node.layout & Layout::kCrossedInput) != 0;
  return work;
}

Work elementwise_of(const ModelTree& tree, const Node& node) {
  Work work = stream_of(node, WorkKind::kElementwise);
  const bool broadcasts = is_broadcast(tree, node);
  work.is_crossed = (node.layout & Layout::kCrossedInput) != 0;
  work.is_strided = work.is_strided || broadcasts;
  work.is_reordered = broadcasts || work.is_crossed || (node.layout & Layout::kReorderedInput) != 0;
  work.converts = converts(tree, node);
  if (work_of_op(node.op).form == OpForm::kFunction) {
    work.kind = WorkKind::kTranscendental;
  } else if (node.op != Op::kNone && node.shape.rank() == 4 && broadcasts) {
    work.kind = WorkKind::kScores;
  }
  return work;
}

}  // namespace

Work work_of(const ModelTree& tree, const Node& node) {
  switch (facts_of(node.op).op_class) {
    case OpClass::kMatmul: return product_of(tree, node);
    case OpClass::kAttention: return attention_of(tree, node);
    case OpClass::kConvolution:
    case OpClass::kRecurrent: return convolution_of(tree, node);
    case OpClass::kSoftmax: {
      const bool is_safe = work_of_op(node.op).form == OpForm::kSafe;
      Work work =
          stream_of(node, WorkKind::kSoftmax, is_safe ? Work::Detail::kSafe : Work::Detail::kNone);
      work.m = work.rows;
      return work;
    }
    case OpClass::kNormalization: {
      // With running statistics it scales and shifts every element by itself: no rows are summed.
      if (node.op == Op::kBatchNorm) return elementwise_of(tree, node);
      // What lies otherwise than in rows is laid out anew first.
      Work work = stream_of(node, WorkKind::kNormalization);
      work.is_crossed = work.is_strided;
      return work;
    }
    case OpClass::kGather: return stream_of(node, WorkKind::kGather);
    case OpClass::kCopy: return copy_of(tree, node);
    case OpClass::kFill: return stream_of(node, WorkKind::kCopy, Work::Detail::kFill);
    case OpClass::kReduction:
      if (node.op == Op::kSort || node.op == Op::kTopk) return sort_of(tree, node);
      return stream_of(node, WorkKind::kElementwise, Work::Detail::kReduction);
    case OpClass::kElementwise:
    case OpClass::kNone: break;
  }
  return elementwise_of(tree, node);
}

double weight_mib(const ModelTree& tree, double enough) {
  const auto nodes = tree.nodes();
  const auto multiplies = [](const Node& node) {
    const OpClass op_class = facts_of(node.op).op_class;
    return op_class == OpClass::kMatmul || op_class == OpClass::kConvolution;
  };
  const double each_mib = static_cast<double>(weight_bits(tree.precision)) / 8.0 / kMiB;
  std::vector<bool> is_known(tree.parameters().size());
  double sum = 0;
  for (const ParameterUse& use : tree.parameters()) {
    const auto id = static_cast<std::size_t>(use.id);
    if (id >= is_known.size()) is_known.resize(std::max(id + 1, 2 * is_known.size()));
    if (is_known[id]) continue;
    const Node& holder = nodes[static_cast<std::size_t>(use.node)];
    const auto below = nodes.subspan(static_cast<std::size_t>(holder.first),
                                     static_cast<std::size_t>(use.node - holder.first) + 1);
    if (std::none_of(below.begin(), below.end(), multiplies)) continue;
    is_known[id] = true;
    sum += static_cast<double>(use.elements) * each_mib;
    if (sum > enough) break;
  }
  return sum;
}

}  // namespace wattree
