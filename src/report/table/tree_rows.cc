#include "src/report/table/tree_rows.h"

#include <fmt/format.h>

#include <utility>

#include "src/models/tree/folding.h"

namespace wattree {
namespace {

class Walk {
 public:
  Walk(const ModelTree& tree, const TreeView& view, bool unfolds)
      : tree_(tree), view_(view), unfolds_(unfolds) {}

  void add(std::int32_t index, int depth, std::int64_t times, std::string name) {
    rows_.push_back({static_cast<std::size_t>(index), times, depth, std::move(name)});
    std::vector<Fold> children;
    folded_children(tree_, index, !unfolds_, children);
    for (const Fold& child : children) {
      if (!view_.shows(at(child.first), depth + 1)) continue;
      add(child.first, depth + 1, times * child.count, name_of(child));
    }
  }

  std::vector<TreeRow> take() { return std::move(rows_); }

 private:
  const Node& at(std::int32_t index) const {
    return tree_.nodes()[static_cast<std::size_t>(index)];
  }

  // A node's name below its parent, and how many it stands for.
  std::string name_of(const Fold& fold) const {
    const Node& node = at(fold.first);
    const std::string_view parent = node.parent >= 0 ? at(node.parent).scope : std::string_view();
    std::string_view name = node.scope;
    if (name.starts_with(parent)) name.remove_prefix(parent.size());
    if (name.starts_with('.') || name.starts_with(':')) name.remove_prefix(1);
    std::string out(name);
    if (fold.count == 1)
      return node.run >= 0 && is_run(node) ? fmt::format("{} #{}", out, node.run) : out;
    if (const auto end = numbered(at(fold.last).scope); end && at(fold.last).scope != node.scope) {
      out += fmt::format("…{}", end->second);
    }
    return out + fmt::format(" ×{}", fold.count);
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
