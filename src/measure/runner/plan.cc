#include "src/measure/runner/plan.h"

#include <algorithm>
#include <unordered_map>

#include "src/base/checked.h"

namespace wattree {
namespace {

static_assert(WATTREE_MAX_RANK == Dims::kMaxRank);
static_assert(static_cast<int>(DType::kBool) == WATTREE_BOOL &&
              static_cast<int>(DType::kBfloat16) == WATTREE_BFLOAT16);

// Elements from the storage's beginning to the operand's last one.
std::int64_t extent_of(const Operand& operand, const Placement& placement) {
  std::int64_t extent = saturating_add(placement.offset, 1);
  for (int i = 0; i < operand.size.rank(); ++i) {
    if (operand.size[i] == 0) return 0;
    extent = saturating_add(extent, saturating_mul(operand.size[i] - 1, placement.stride[i]));
  }
  return extent;
}

Error refusal(const Node& node, std::string why, std::string hint) {
  return {ErrorCode::kInvalidInput,
          "\"" + std::string(node.scope) + "\" (" + std::string(node.type) + ") " + std::move(why),
          std::move(hint)};
}

}  // namespace

Result<Plan> Plan::of(const ModelTree& tree, std::int32_t node) {
  if (node < 0 || node >= tree.node_count())
    return Error{ErrorCode::kInternal, "the tree has no node " + std::to_string(node), ""};
  const Node& top = tree.nodes()[static_cast<std::size_t>(node)];
  if (!tree.has_dataflow)
    return Error{ErrorCode::kInternal, "the tree was built without its dataflow", ""};
  if (tree.precision == Precision::kInt8 || tree.precision == Precision::kInt4) {
    return refusal(top, "has quantised weights, for which the framework has no kernels of its own",
                   "run it as bf16, fp16 or fp32 (<dtype>)");
  }
  std::int32_t recorded = 0;  // How many ops ran before the next one.
  for (std::int32_t i = 0; i < top.first; ++i)
    recorded += tree.nodes()[static_cast<std::size_t>(i)].op != Op::kNone;
  Plan plan;
  plan.allows_tf32_ = tree.precision == Precision::kTf32;
  std::unordered_map<std::int32_t, std::int32_t> known;  // Storages of the tree, renumbered.
  for (std::int32_t i = top.first; i <= node; ++i) {
    const Node& leaf = tree.nodes()[static_cast<std::size_t>(i)];
    if (leaf.op == Op::kNone) continue;
    const std::span<const Placement> placements = tree.placements(leaf);
    for (std::size_t t = 0; t < placements.size(); ++t) {
      const Operand& operand = tree.inputs(leaf).data()[t];
      const Placement& placement = placements[t];
      const auto [place, is_new] =
          known.emplace(operand.storage, static_cast<std::int32_t>(plan.storages_.size()));
      if (is_new) {
        plan.storages_.push_back({0, static_cast<std::int32_t>(operand.dtype),
                                  operand.storage < -1 ? 1 : 0, operand.storage});
      }
      WattreeStorage& storage = plan.storages_[static_cast<std::size_t>(place->second)];
      storage.elements = std::max(storage.elements, extent_of(operand, placement));
      WattreeTensor tensor{};
      tensor.storage = place->second;
      tensor.dtype = static_cast<std::int32_t>(operand.dtype);
      tensor.rank = operand.size.rank();
      tensor.offset = placement.offset;
      for (int d = 0; d < operand.size.rank(); ++d) {
        tensor.size[d] = operand.size[d];
        tensor.stride[d] = placement.stride[d];
      }
      plan.tensors_.push_back(tensor);
    }
    const std::span<const double> numbers = tree.numbers(leaf);
    plan.numbers_.emplace_back(numbers.begin(), numbers.end());
    plan.scopes_.emplace_back(leaf.scope);
    WattreeCall call{};
    call.name = facts_of(leaf.op).aten.data();  // Literals end in a zero.
    call.recorded = tree.is_recorded ? recorded++ : -1;
    call.inputs = leaf.inputs;
    call.outputs = leaf.outputs;
    plan.calls_.push_back(call);
  }
  if (plan.calls_.empty())
    return refusal(top, "runs no kernel in this pass", "choose a node that does");
  return plan;
}

// Pointers are set only here: the vectors move with the plan.
WattreeProgram Plan::program() {
  std::size_t tensor = 0;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    WattreeCall& call = calls_[i];
    call.scope = scopes_[i].c_str();
    call.tensors = tensors_.data() + tensor;
    call.numbers = numbers_[i].data();
    call.number_count = static_cast<std::int32_t>(numbers_[i].size());
    tensor += static_cast<std::size_t>(call.inputs) + static_cast<std::size_t>(call.outputs);
  }
  return {calls_.data(), static_cast<std::int64_t>(calls_.size()), storages_.data(),
          static_cast<std::int64_t>(storages_.size()), allows_tf32_ ? 1 : 0};
}

}  // namespace wattree
