// Whether fused attention is causal: no token sees those after it, and about half of the work is
// left out.
#pragma once

#include "src/models/tree/model_tree.h"

namespace wattree {

// Among the bits of Node::layout. Attention has no weight, whose bit it takes.
inline constexpr std::uint8_t kCausalLayout = Layout::kTransposedWeight;

inline bool is_causal(const Node& node) {
  return node.op == Op::kSdpa && (node.layout & kCausalLayout) != 0;
}

}  // namespace wattree
