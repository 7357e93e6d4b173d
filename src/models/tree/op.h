// The kernels a leaf of a model tree can be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wattree {

enum class Level : std::uint8_t { kModel, kModule, kMl, kMath };

std::string_view name_of(Level level);
std::optional<Level> parse_level(std::string_view text);

// What bounds a kernel, roughly: the class an op without figures of its own falls back to.
enum class OpClass : std::uint8_t {
  kNone,
  kMatmul,
  kConvolution,
  kAttention,
  kRecurrent,
  kSoftmax,
  kNormalization,
  kElementwise,
  kReduction,
  kGather,
  kCopy,
  kFill,
};

enum class Op : std::uint8_t {
  kNone,  // Not a kernel: a module, or a leaf that the pass never calls.
#define WATTREE_OP(name, aten, word, type, level, op_class, ...) k##name,
#include "src/models/tree/op_list.inc"
#undef WATTREE_OP
};

struct OpFacts {
  std::string_view aten;    // PyTorch's name of the op, without overload.
  std::string_view suffix;  // Its word at the end of a scope: ":add" in "encoder.layer.0:add".
  std::string_view type;    // The node's type where the op is no module of its own.
  Level level;
  OpClass op_class;
  Op counted_as;  // The first op with the same word: those that share one are numbered together.
};

inline constexpr std::size_t kOpCount = 1
// NOLINTNEXTLINE(bugprone-macro-parentheses): a term of the sum.
#define WATTREE_OP(name, aten, word, type, level, op_class, ...) +1
#include "src/models/tree/op_list.inc"
#undef WATTREE_OP
    ;

extern const std::array<OpFacts, kOpCount> kOpFacts;

inline const OpFacts& facts_of(Op op) { return kOpFacts[static_cast<std::size_t>(op)]; }

}  // namespace wattree
