#include "src/models/tree/model_tree.h"

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

void ModelTree::append_numbers(const Node& node, std::span<const double> numbers) {
  number_places_.emplace_back(static_cast<std::uint32_t>(&node - nodes_.data()),
                              static_cast<std::uint32_t>(numbers_.size()));
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
}

std::span<const double> ModelTree::numbers(const Node& node) const {
  const auto index = static_cast<std::uint32_t>(&node - nodes_.data());
  const auto place =
      std::lower_bound(number_places_.begin(), number_places_.end(), std::pair(index, 0u));
  if (place == number_places_.end() || place->first != index) return {};
  const auto next = std::next(place);
  const std::size_t end = next == number_places_.end() ? numbers_.size() : next->second;
  return std::span(numbers_).subspan(place->second, end - place->second);
}

}  // namespace wattree
