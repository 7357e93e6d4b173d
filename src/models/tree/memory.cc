#include "src/models/tree/memory.h"

#include <algorithm>
#include <vector>

#include "src/base/checked.h"

namespace wattree {
namespace {

// PyTorch's allocator hands out memory in multiples of this.
constexpr std::int64_t kBlock = 512;

std::int64_t in_blocks(std::int64_t bytes) {
  return bytes > kSaturated - kBlock ? kSaturated : (bytes + kBlock - 1) / kBlock * kBlock;
}

std::int64_t weight_bytes(const ModelTree& tree) {
  const std::int64_t vector_bits = 8 * byte_size(activation_dtype(tree.precision));
  const std::int64_t matrix_bits = weight_bits(tree.precision);
  std::vector<bool> counted;
  std::int64_t bytes = 0;
  for (const ParameterUse& use : tree.parameters()) {
    const auto id = static_cast<std::size_t>(use.id);
    if (id >= counted.size()) counted.resize(std::max(id + 1, 2 * counted.size()));
    if (counted[id]) continue;
    counted[id] = true;
    const std::int64_t bits =
        saturating_mul(use.elements, use.is_matrix ? matrix_bits : vector_bits);
    bytes = saturating_add(bytes, bits == kSaturated ? kSaturated : (bits + 7) / 8);
  }
  return bytes;
}

// The memory behind the tensors of a pass, and the kernels between which it is in use.
class Lifetimes {
 public:
  struct Life {
    std::int64_t bytes = 0;
    std::int32_t born = -1;  // -1: not yet.
    std::int32_t dies = -1;  // The node after which it is free.
    bool is_held = false;    // There before the pass and after it: not the pass's own.
  };

  explicit Lifetimes(const ModelTree& tree) : tree_(tree) {}

  // By its storage; nothing of weights, and of those that are not known.
  Life* of(std::int32_t storage) {
    if (storage < 0) return nullptr;
    const auto at = static_cast<std::size_t>(storage);
    if (at >= lives_.size()) lives_.resize(std::max(at + 1, 2 * lives_.size()));
    return &lives_[at];
  }

  void use(const Operand& operand, std::int32_t node) {
    Life* life = of(operand.storage);
    if (life == nullptr || life->is_held) return;
    if (life->born < 0) {
      life->born = node;
      life->bytes = in_blocks(bytes_of(operand));
    }
    life->dies = std::max(life->dies, caller_of(node, life->born));
  }

  // What is read before any kernel has written it was there before the pass: its bytes, once.
  std::int64_t hold_if_new(const Operand& operand) {
    Life* life = of(operand.storage);
    if (life == nullptr || life->is_held || life->born >= 0) return 0;
    life->is_held = true;
    return bytes_of(operand);
  }

  // Adds up what is born and freed at every node. Freed memory counts from the node after it on.
  std::vector<std::int64_t> changes() const {
    std::vector<std::int64_t> out(tree_.nodes().size() + 1);
    for (const Life& life : lives_) {
      if (life.is_held || life.born < 0) continue;
      out[static_cast<std::size_t>(life.born)] += life.bytes;
      out[static_cast<std::size_t>(life.dies) + 1] -= life.bytes;
    }
    return out;
  }

 private:
  static std::int64_t bytes_of(const Operand& operand) {
    return saturating_mul(operand.touched, byte_size(operand.dtype));
  }

  // The outermost module that `node` is in and that was called after `born`: what it was given is
  // held until it returns.
  std::int32_t caller_of(std::int32_t node, std::int32_t born) const {
    if (tree_.is_recorded) return node;
    const auto nodes = tree_.nodes();
    for (std::int32_t up = nodes[static_cast<std::size_t>(node)].parent;
         up >= 0 && nodes[static_cast<std::size_t>(up)].first > born;
         up = nodes[static_cast<std::size_t>(up)].parent) {
      node = up;
    }
    return node;
  }

  const ModelTree& tree_;
  std::vector<Life> lives_;
};

}  // namespace

std::int64_t PassMemory::peak() const {
  return saturating_add(saturating_add(weights, inputs), saturating_add(cache, activations));
}

PassMemory memory_of(const ModelTree& tree, OldCache old_cache) {
  PassMemory out;
  out.weights = weight_bytes(tree);
  Lifetimes lives(tree);
  std::int64_t in_use = 0;  // Besides what is held throughout.
  for (const HeldStorage& held : tree.held()) {
    Lifetimes::Life& life = *lives.of(held.storage);
    switch (held.held) {
      case Held::kInput: out.inputs = saturating_add(out.inputs, held.bytes); break;
      case Held::kBuffer: out.weights = saturating_add(out.weights, held.bytes); break;
      case Held::kCache: out.cache = saturating_add(out.cache, held.bytes); break;
    }
    if (held.held == Held::kCache && old_cache == OldCache::kReplaced) {
      // In use from the first node on, but counted as cache: as an activation it only goes.
      life = {in_blocks(held.bytes), 0, 0, false};
      in_use -= life.bytes;
    } else {
      life.is_held = true;
    }
  }
  for (const Node& node : tree.nodes()) {
    if (node.op == Op::kNone) continue;
    const auto index = static_cast<std::int32_t>(&node - tree.nodes().data());
    for (const Operand& operand : tree.inputs(node)) {
      // Nobody has said of a recorded pass what it was given.
      if (tree.is_recorded) out.inputs = saturating_add(out.inputs, lives.hold_if_new(operand));
      lives.use(operand, index);
    }
    for (const Operand& operand : tree.outputs(node)) lives.use(operand, index);
  }
  for (const KeptStorage& kept : tree.kept()) {
    Lifetimes::Life* life = lives.of(kept.storage);
    if (life != nullptr && life->born >= 0) life->dies = std::max(life->dies, kept.until);
  }
  const std::vector<std::int64_t> changes = lives.changes();
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    in_use += changes[i];
    if (in_use <= out.activations) continue;
    out.activations = in_use;
    out.peak_node = static_cast<std::int32_t>(i);
  }
  return out;
}

}  // namespace wattree
