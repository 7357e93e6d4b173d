#include "src/report/table/tree_rows.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace wattree {
namespace {

// "encoder.layer.11" -> {"encoder.layer.", 11}: a member of a list.
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

class Walk {
 public:
  Walk(const ModelTree& tree, const TreeView& view, bool unfolds)
      : tree_(tree), view_(view), unfolds_(unfolds) {}

  void add(std::int32_t index, int depth, std::int64_t times, std::string name) {
    rows_.push_back({static_cast<std::size_t>(index), times, depth, std::move(name)});
    std::vector<std::int32_t> children;
    tree_.children(index, children);
    for (std::size_t i = 0; i < children.size();) {
      std::size_t end = i + 1;
      while (!unfolds_ && end < children.size() && are_alike(children[i], children[end])) ++end;
      const std::size_t count = end - i;
      if (view_.shows(at(children[i]), depth + 1)) {
        add(children[i], depth + 1, times * static_cast<std::int64_t>(count),
            name_of(children[i], children[end - 1], count));
      }
      i = end;
    }
  }

  std::vector<TreeRow> take() { return std::move(rows_); }

 private:
  const Node& at(std::int32_t index) const {
    return tree_.nodes()[static_cast<std::size_t>(index)];
  }

  // Two layers of one list that do the same work on tensors of the same size.
  bool are_alike(std::int32_t a, std::int32_t b) const {
    const Node& x = at(a);
    const Node& y = at(b);
    if (x.type != y.type || x.flops != y.flops || x.matmul_flops != y.matmul_flops ||
        x.bytes != y.bytes || x.params != y.params || !(x.shape == y.shape)) {
      return false;
    }
    if (x.run >= 0 && x.scope == y.scope) return true;
    const auto left = numbered(x.scope);
    const auto right = numbered(y.scope);
    return left && right && left->first == right->first;
  }

  // A node's name below its parent, and how many it stands for.
  std::string name_of(std::int32_t first, std::int32_t last, std::size_t count) const {
    const Node& node = at(first);
    const std::string_view parent = node.parent >= 0 ? at(node.parent).scope : std::string_view();
    std::string_view name = node.scope;
    if (name.starts_with(parent)) name.remove_prefix(parent.size());
    if (name.starts_with('.') || name.starts_with(':')) name.remove_prefix(1);
    std::string out(name);
    if (count == 1)
      return node.run >= 0 && is_run(node) ? fmt::format("{} #{}", out, node.run) : out;
    if (const auto end = numbered(at(last).scope); end && at(last).scope != node.scope) {
      out += fmt::format("…{}", end->second);
    }
    return out + fmt::format(" ×{}", count);
  }

  // Whether the node itself is called repeatedly, rather than being inside one that is.
  bool is_run(const Node& node) const { return node.parent < 0 || at(node.parent).run != node.run; }

  const ModelTree& tree_;
  const TreeView& view_;
  bool unfolds_;
  std::vector<TreeRow> rows_;
};

}  // namespace

std::vector<TreeRow> tree_rows(const ModelTree& tree, const TreeView& view, bool unfolds) {
  Walk walk(tree, view, unfolds);
  walk.add(static_cast<std::int32_t>(tree.nodes().size()) - 1, 0, 1, std::string(tree.root().type));
  return walk.take();
}

}  // namespace wattree
