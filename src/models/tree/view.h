// Which nodes of a tree are shown.
#pragma once

#include <optional>

#include "src/models/tree/model_tree.h"

namespace wattree {

// Down to a level of detail, and to a depth below the root.
struct TreeView {
  Level level = Level::kMath;
  std::optional<int> depth;
  // Of JSON, for pages:
  bool folds = false;    // Layers that are alike are one node (folding.h).
  bool details = false;  // Nodes have a class and a role, and those of predictions features.
  bool shows(const Node& node, int node_depth) const {
    return node.level <= level && (!depth || node_depth <= *depth);
  }
};

}  // namespace wattree
