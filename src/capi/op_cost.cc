// The cost of one operation: a tree of one node, counted as any other.
#include <algorithm>
#include <span>
#include <string_view>

#include "src/base/checked.h"
#include "src/models/tree/cost.h"
#include "src/models/tree/find_op.h"
#include "src/models/tree/model_tree.h"
#include "src/models/tree/op_work.h"
#include "wattree/cost.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostBytes = 64;  // Of an element: complex numbers of four doubles and more.

DType type_of_size(std::int64_t bytes) {
  if (bytes % 8 == 0) return DType::kInt64;
  if (bytes % 4 == 0) return DType::kInt32;
  return bytes % 2 == 0 ? DType::kBfloat16 : DType::kInt8;
}

// False where the tensor is none.
bool append(ModelTree& tree, const wattree_tensor& tensor) {
  if (tensor.element_bytes < 1 || tensor.element_bytes > kMostBytes || tensor.rank < 0)
    return false;
  Dims size;
  std::int64_t touched = 1;
  for (int i = 0; i < tensor.rank; ++i) {
    const std::int64_t n = tensor.sizes[i];
    if (n < 0 || n > Shape::kLargest) return false;
    // Only operations without a layout of their own have more dimensions than a tree keeps: the
    // rest is one dimension.
    if (i < Dims::kMaxRank) {
      size.push_back(n);
    } else {
      size[Dims::kMaxRank - 1] = saturating_mul(size[Dims::kMaxRank - 1], n);
    }
    if (tensor.strides[i] != 0 || n <= 1) touched = saturating_mul(touched, n);
  }
  if (size.rank() == Dims::kMaxRank && size[Dims::kMaxRank - 1] > Shape::kLargest) return false;
  const DType type = type_of_size(tensor.element_bytes);
  const std::int64_t units = tensor.element_bytes / byte_size(type);
  tree.append_operand(size, saturating_mul(touched, units), type, false);
  return true;
}

}  // namespace
}  // namespace wattree

int wattree_op_cost(const char* op, const wattree_tensor* inputs, size_t input_count,
                    const wattree_tensor* outputs, size_t output_count, wattree_cost* cost) {
  using namespace wattree;
  *cost = {0, 0, 0};
  const std::span<const wattree_tensor> in(inputs, input_count);
  const std::span<const wattree_tensor> out(outputs, output_count);
  if (in.size() > Node::kMaxOperands || out.size() > Node::kMaxOperands) return 0;
  ModelTree tree;
  for (const auto& tensors : {in, out}) {
    for (const wattree_tensor& tensor : tensors) {
      if (!append(tree, tensor)) return 0;
    }
  }
  Node& node = tree.append(0, Dims());
  node.inputs = static_cast<std::uint8_t>(in.size());
  node.outputs = static_cast<std::uint8_t>(out.size());
  const Op known = find_op(op == nullptr ? "" : op).value_or(Op::kNone);
  if (!has_cost(known, tree.inputs(node), tree.outputs(node))) {
    for (const auto& operands : {tree.inputs(node), tree.outputs(node)}) {
      for (const Operand& operand : operands) {
        cost->bytes = saturating_add(cost->bytes, byte_count(operand, tree.precision));
      }
    }
    return 0;
  }
  node.op = known;
  if (!add_costs(tree).ok()) return 0;
  *cost = {node.flops, node.matmul_flops, node.bytes};
  return 1;
}
