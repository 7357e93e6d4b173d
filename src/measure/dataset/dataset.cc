#include "src/measure/dataset/dataset.h"

#include <algorithm>

namespace wattree {

std::vector<std::int32_t> children_of(const DatasetTree& tree, std::int32_t node) {
  // The last child stands just before its parent, and each other one just before the subtree of the
  // next.
  std::vector<std::int32_t> out;
  const std::int32_t first = tree.nodes[static_cast<std::size_t>(node)].first;
  for (std::int32_t child = node - 1; child >= first;
       child = tree.nodes[static_cast<std::size_t>(child)].first - 1) {
    out.push_back(child);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<std::int32_t> levels_of(const DatasetTree& tree) {
  std::vector<std::int32_t> out(tree.nodes.size(), 0);
  for (std::size_t i = out.size(); i-- > 0;) {
    const std::int32_t parent = tree.nodes[i].parent;
    if (parent >= 0) out[i] = out[static_cast<std::size_t>(parent)] + 1;
  }
  return out;
}

}  // namespace wattree
