#include "src/tree/model_tree.h"

#include <algorithm>

namespace wattree {

void ModelTree::reserve() {
  constexpr std::size_t kNodes = 32'768;
  nodes_.reserve(kNodes);
  operands_.reserve(4 * kNodes);
}

void ModelTree::children(std::int32_t index, std::vector<std::int32_t>& out) const {
  const auto begin = out.size();
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  for (std::int32_t child = index - 1; child >= node.first;
       child = nodes_[static_cast<std::size_t>(child)].first - 1) {
    out.push_back(child);
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
}

}  // namespace wattree
