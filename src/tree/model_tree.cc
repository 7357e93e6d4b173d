#include "src/tree/model_tree.h"

#include <algorithm>

namespace wattree {

void ModelTree::reserve() {
  constexpr std::size_t kNodes = 32'768;
  nodes_.reserve(kNodes);
  operands_.reserve(4 * kNodes);
}

std::int32_t ModelTree::append(Node node) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  // The direct children are the roots of the subtrees that tile [first, index): walk them from the
  // right.
  for (std::int32_t child = index - 1; child >= node.first;
       child = nodes_[static_cast<std::size_t>(child)].first - 1) {
    nodes_[static_cast<std::size_t>(child)].parent = index;
  }
  nodes_.push_back(node);
  return index;
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

std::string_view ModelTree::keep(std::string_view text, std::string_view more,
                                 std::string_view last) {
  const std::size_t size = text.size() + more.size() + last.size();
  if (size == 0) return {};
  auto* copy = static_cast<char*>(text_->allocate(size, 1));
  char* end = copy;
  for (const std::string_view piece : {text, more, last}) {
    end = std::copy(piece.begin(), piece.end(), end);
  }
  return {copy, size};
}

}  // namespace wattree
