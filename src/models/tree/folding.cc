#include "src/models/tree/folding.h"

namespace wattree {
namespace {

// Two layers of one list, or two runs of one module, on tensors of the same size.
bool are_alike(const Node& x, const Node& y) {
  if (x.op != y.op || x.layout != y.layout || x.type != y.type || x.flops != y.flops ||
      x.matmul_flops != y.matmul_flops || x.bytes != y.bytes || x.params != y.params ||
      !(x.shape == y.shape)) {
    return false;
  }
  if (x.run >= 0 && x.scope == y.scope) return true;
  const auto left = numbered(x.scope);
  const auto right = numbered(y.scope);
  return left && right && left->first == right->first;
}

}  // namespace

std::optional<std::pair<std::string_view, int>> numbered(std::string_view scope) {
  const std::size_t dot = scope.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == scope.size()) return std::nullopt;
  int number = 0;
  for (const char c : scope.substr(dot + 1)) {
    if (c < '0' || c > '9' || number > 1'000'000) return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return std::pair(scope.substr(0, dot + 1), number);
}

void folded_children(const ModelTree& tree, std::int32_t index, bool folds,
                     std::vector<Fold>& out) {
  const auto at = [&](std::int32_t i) -> const Node& {
    return tree.nodes()[static_cast<std::size_t>(i)];
  };
  std::vector<std::int32_t> children;
  tree.children(index, children);
  for (std::size_t i = 0; i < children.size();) {
    std::size_t end = i + 1;
    while (folds && end < children.size() && are_alike(at(children[i]), at(children[end]))) ++end;
    out.push_back({children[i], children[end - 1], static_cast<std::int64_t>(end - i)});
    i = end;
  }
}

}  // namespace wattree
