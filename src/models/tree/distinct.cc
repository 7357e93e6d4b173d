#include "src/models/tree/distinct.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "src/models/tree/causal.h"

namespace wattree {
namespace {

// Keys and hashes in files are older than what tells causal attention.
unsigned layout_in_files(const Node& leaf) {
  return leaf.op == Op::kSdpa ? leaf.layout & ~kCausalLayout : leaf.layout;
}

// FNV-1a: the same on every machine, and good enough for some thousand keys.
constexpr std::uint64_t kBasis = 14695981039346656037U;
constexpr std::uint64_t kPrime = 1099511628211U;

std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return (hash ^ 0xFFU) * kPrime;  // So that "ab","c" is not "a","bc".
}

using HexDigits = std::array<char, 16>;

HexDigits hexadecimal(std::uint64_t value) {
  HexDigits out;
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4) {
    *digit = "0123456789abcdef"[value & 15U];
  }
  return out;
}

std::string_view as_text(const HexDigits& digits) { return {digits.data(), digits.size()}; }

std::uint64_t hash_of_leaf(const ModelTree& tree, const Node& leaf) {
  // An op that no config's tree has is told by its type alone.
  std::uint64_t hash = mix(kBasis, leaf.op == Op::kOther ? leaf.type : facts_of(leaf.op).aten);
  for (const Operand& operand : tree.inputs(leaf)) {
    hash = mix(hash,
               text_of(operand) + (operand.is_weight ? "w" : "") + std::to_string(operand.touched));
  }
  const unsigned layout = layout_in_files(leaf);
  if (layout != 0) hash = mix(hash, "layout " + std::to_string(layout));
  hash = mix(hash, "->");
  for (const Operand& operand : tree.outputs(leaf)) hash = mix(hash, text_of(operand));
  return hash;
}

// Numbers that a leaf's hash is made of, mixed quickly: layers that are alike need hashing once.
class Fingerprint {
 public:
  void add(std::uint64_t number) {
    state_ = (state_ ^ number) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 29;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = kBasis;
};

std::uint64_t fingerprint_of(const ModelTree& tree, const Node& leaf) {
  Fingerprint out;
  out.add(static_cast<std::uint64_t>(leaf.op) | std::uint64_t{layout_in_files(leaf)} << 8 |
          std::uint64_t{leaf.inputs} << 16 | std::uint64_t{leaf.outputs} << 24);
  const auto add = [&](const Operand& operand) {
    out.add(static_cast<std::uint64_t>(operand.dtype) | std::uint64_t{operand.is_weight} << 8 |
            static_cast<std::uint64_t>(operand.size.rank()) << 16);
    out.add(static_cast<std::uint64_t>(operand.touched));
    for (const std::int64_t n : operand.size) out.add(static_cast<std::uint64_t>(n));
  };
  for (const Operand& operand : tree.inputs(leaf)) add(operand);
  for (const Operand& operand : tree.outputs(leaf)) add(operand);
  return out.value();
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

WorkHashes::WorkHashes(const ModelTree& tree) : tree_(tree) {
  const std::span<const Node> nodes = tree.nodes();
  leaves_.assign(nodes.size(), 0);
  std::unordered_map<std::uint64_t, std::uint64_t> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (!tree.is_leaf(node) || node.op == Op::kNone) continue;
    if (node.op == Op::kOther) {
      leaves_[i] = hash_of_leaf(tree, node);
      continue;
    }
    std::uint64_t& hash = known[fingerprint_of(tree, node)];
    if (hash == 0) hash = hash_of_leaf(tree, node);
    leaves_[i] = hash;
  }
}

std::int64_t WorkHashes::kernels(std::size_t index) const {
  const auto begin = leaves_.begin();
  const auto first = begin + tree_.nodes()[index].first;
  const auto end = begin + static_cast<std::ptrdiff_t>(index) + 1;
  return (end - first) - std::count(first, end, 0U);
}

std::uint64_t WorkHashes::of(std::size_t index) const {
  std::uint64_t hash = kBasis;
  std::uint64_t only = 0;
  std::int64_t kernels = 0;
  for (auto i = static_cast<std::size_t>(tree_.nodes()[index].first); i <= index; ++i) {
    if (leaves_[i] == 0) continue;
    only = leaves_[i];
    hash = mix(hash, as_text(hexadecimal(only)));
    ++kernels;
  }
  return kernels > 1 ? hash : only;
}

DistinctNodes distinct_nodes(const ModelTree& tree) {
  const std::span<const Node> nodes = tree.nodes();
  const WorkHashes hashes(tree);
  DistinctNodes out;
  out.of.assign(nodes.size(), -1);
  std::unordered_map<std::uint64_t, std::int32_t> known;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    const std::uint64_t hash = hashes.of(i);
    if (hash == 0) continue;
    const std::int64_t kernels = hashes.kernels(i);
    const auto [it, is_new] = known.try_emplace(hash, static_cast<std::int32_t>(out.nodes.size()));
    if (is_new)
      out.nodes.push_back(
          {std::string(as_text(hexadecimal(hash))), static_cast<std::int32_t>(i), 0, kernels});
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
