// One energy for every node from several estimates that disagree: what its parts add up to, and
// what was read at the node itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wattree {

struct Gaussian {
  double mean = 0;
  double variance = 0;
};

// A node in post-order. `own` is a leaf itself, or what an inner node takes besides its children.
struct Evidence {
  std::int32_t parent = -1;
  bool is_leaf = true;
  Gaussian own;
  std::optional<Gaussian> reading;
};

// The totals that are likeliest if all estimates are independent and normal (the smoother of Rauch,
// Tung and Striebel, on a tree): up, each node's parts are added and its reading is mixed in by
// precision; down, what a node's total differs from its parts' sum is shared among them by
// variance. Linear in nodes. No child ends below zero, nor does what a node without a reading takes
// itself. The node's own part is its total less its children's.
std::vector<double> reconcile(std::span<const Evidence> nodes);

}  // namespace wattree
