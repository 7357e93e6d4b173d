// Which nodes of a tree do the same work: each distinct one is measured once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/models/tree/model_tree.h"

namespace wattree {

// Numbers that tell what nodes do: the same work has the same number in every tree and on every
// machine.
class WorkHashes {
 public:
  // `tree` must outlive it.
  explicit WorkHashes(const ModelTree& tree);
  // 0: the node runs nothing.
  std::uint64_t of(std::size_t node) const;
  std::int64_t kernels(std::size_t node) const;  // That it runs.

 private:
  const ModelTree& tree_;
  std::vector<std::uint64_t> leaves_;  // By node; 0 of what is no kernel.
};

struct DistinctNode {
  std::string key;  // Its WorkHashes::of() in 16 hexadecimal digits.
  // The root where it is one of them; or else the first one in the tree, and of several at one
  // place the innermost.
  std::int32_t node = 0;
  std::int64_t count = 0;
  std::int64_t kernels = 0;
};

struct DistinctNodes {
  std::vector<DistinctNode> nodes;
  std::vector<std::int32_t> of;  // By node of the tree: an index into `nodes`; -1: it runs nothing.
};

// Work is a sequence of kernels: ops with the types, shapes and layouts of what goes in and comes
// out. Two
// modules with the same kernels are one, whatever their classes are called, and a module of one
// kernel is that kernel.
DistinctNodes distinct_nodes(const ModelTree& tree);

// "bf16[16,128,768]"
std::string text_of(const Operand& operand);

}  // namespace wattree
