#include "src/models/tree/distinct.h"

#include <unordered_map>

#include "src/models/tree/causal.h"

namespace wattree {
namespace {

// FNV-1a: the same on every machine, and good enough for some thousand keys.
constexpr std::uint64_t kBasis = 14695981039346656037U;
constexpr std::uint64_t kPrime = 1099511628211U;

std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return (hash ^ 0xFFU) * kPrime;  // So that "ab","c" is not "a","bc".
}

std::string hexadecimal(std::uint64_t value) {
  std::string out(16, '0');
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 15U];
  }
  return out;
}

std::uint64_t hash_of_leaf(const ModelTree& tree, const Node& leaf) {
  // An op that no config's tree has is told by its type alone.
  std::uint64_t hash = mix(kBasis, leaf.op == Op::kOther ? leaf.type : facts_of(leaf.op).aten);
  for (const Operand& operand : tree.inputs(leaf)) {
    hash = mix(hash,
               text_of(operand) + (operand.is_weight ? "w" : "") + std::to_string(operand.touched));
  }
  // Keys in files are older than what tells causal attention.
  const unsigned layout = leaf.op == Op::kSdpa ? leaf.layout & ~kCausalLayout : leaf.layout;
  if (layout != 0) hash = mix(hash, "layout " + std::to_string(layout));
  hash = mix(hash, "->");
  for (const Operand& operand : tree.outputs(leaf)) hash = mix(hash, text_of(operand));
  return hash;
}

}  // namespace

std::string text_of(const Operand& operand) {
  std::string out(short_name(operand.dtype));
  out += '[';
  for (int i = 0; i < operand.size.rank(); ++i) {
    if (i > 0) out += ',';
    out += std::to_string(operand.size[i]);
  }
  return out + ']';
}

DistinctNodes distinct_nodes(const ModelTree& tree) {
  const std::span<const Node> nodes = tree.nodes();
  DistinctNodes out;
  out.of.assign(nodes.size(), -1);
  std::unordered_map<std::uint64_t, std::int32_t> known;
  // Of kernels by node: their hash where it is one, for hashing sequences of them.
  std::vector<std::uint64_t> leaf_hash(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    std::uint64_t hash = kBasis;
    std::int64_t kernels = 0;
    if (tree.is_leaf(node)) {
      if (node.op == Op::kNone) continue;
      hash = leaf_hash[i] = hash_of_leaf(tree, node);
      kernels = 1;
    } else {
      std::uint64_t only = 0;
      for (auto j = static_cast<std::size_t>(node.first); j < i; ++j) {
        if (leaf_hash[j] == 0) continue;
        only = leaf_hash[j];
        hash = mix(hash, hexadecimal(only));
        ++kernels;
      }
      if (kernels == 0) continue;
      if (kernels == 1) hash = only;
    }
    const auto [it, is_new] = known.try_emplace(hash, static_cast<std::int32_t>(out.nodes.size()));
    if (is_new) out.nodes.push_back({hexadecimal(hash), static_cast<std::int32_t>(i), 0, kernels});
    // A module around one kernel is no second run of it.
    const bool is_wrapper = kernels == 1 && !tree.is_leaf(node);
    if (!is_wrapper) ++out.nodes[static_cast<std::size_t>(it->second)].count;
    out.of[i] = it->second;
  }
  // A model that only wraps its decoder is measured as the model it is.
  if (!nodes.empty() && out.of.back() >= 0) {
    DistinctNode& whole = out.nodes[static_cast<std::size_t>(out.of.back())];
    if (whole.kernels > 1) whole.node = static_cast<std::int32_t>(nodes.size()) - 1;
  }
  return out;
}

}  // namespace wattree
