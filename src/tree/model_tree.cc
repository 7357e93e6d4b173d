#include "src/tree/model_tree.h"

#include <algorithm>
#include <cstring>

namespace wattree {

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

std::string_view ModelTree::keep(std::string_view text, std::string_view more) {
  if (text.empty() && more.empty()) return {};
  auto* copy = static_cast<char*>(text_->allocate(text.size() + more.size(), 1));
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  if (!more.empty()) std::memcpy(copy + text.size(), more.data(), more.size());
  return {copy, text.size() + more.size()};
}

}  // namespace wattree
