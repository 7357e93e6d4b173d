#include "src/cli/tree_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "src/cli/quantity.h"
#include "src/cli/table.h"

namespace wattree {
namespace {

constexpr int kBarCells = 12;

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

class TreeTable {
 public:
  TreeTable(const TreeAnswer& answer, const TreeView& view, bool unfolds)
      : tree_(answer.tree), view_(view), unfolds_(unfolds), whole_(answer.tree.root()) {}

  std::string render() {
    add(static_cast<std::int32_t>(tree_.nodes().size()) - 1, 0, 1, std::string(whole_.type));
    return render_table({{"node"},
                         {"type"},
                         {"shape"},
                         {"params", true},
                         {"FLOP", true},
                         {"bytes", true},
                         {"% bytes", true},
                         {"% FLOP", true},
                         {""}},
                        rows_);
  }

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

  void add(std::int32_t index, int depth, std::int64_t times, std::string name) {
    const Node& node = at(index);
    std::string shape;
    for (int i = 0; i < node.shape.rank(); ++i) {
      shape += (i > 0 ? "×" : "") + std::to_string(node.shape[i]);
    }
    const double n = static_cast<double>(times);
    const auto share_of = [n](std::int64_t part, std::int64_t whole) {
      return whole > 0 ? n * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    const double share = share_of(node.flops, whole_.flops);
    rows_.push_back({std::string(2 * static_cast<std::size_t>(depth), ' ') + std::move(name),
                     std::string(node.type), shape,
                     with_prefix(static_cast<double>(node.params) * n),
                     with_prefix(static_cast<double>(node.flops) * n),
                     with_prefix(static_cast<double>(node.bytes) * n, "B"),
                     fmt::format("{:.1f}", 100 * share_of(node.bytes, whole_.bytes)),
                     fmt::format("{:.1f}", 100 * share), bar(share, kBarCells)});
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

  const ModelTree& tree_;
  TreeView view_;
  bool unfolds_;
  const Node& whole_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string tree_headline(const TreeAnswer& answer) {
  const Pass& pass = answer.pass;
  std::string what = fmt::format("one pass of {} × {}", pass.batch, pass.seq);
  if (pass.past > 0) {
    what = fmt::format("one decode step of {} × 1 over {} past tokens", pass.batch, pass.past);
    if (answer.is_encoder_decoder && answer.has_text_source)
      what += fmt::format(" and a source of {}", pass.source);
  } else if (answer.is_encoder_decoder) {
    what += fmt::format(" to {}", pass.target_len);
  }
  const Node& root = answer.tree.root();
  return fmt::format("{} of {}: {}, {}, {}\n{} parameters, {}, {} in matrix products, {} moved\n",
                     answer.class_name, answer.model, name_of(pass.precision),
                     name_of(pass.attention), what, with_prefix(static_cast<double>(root.params)),
                     with_prefix(static_cast<double>(root.flops), "FLOP"),
                     with_prefix(static_cast<double>(root.matmul_flops), "FLOP"),
                     with_prefix(static_cast<double>(root.bytes), "B"));
}

std::string tree_table(const TreeAnswer& answer, const TreeView& view, bool unfolds) {
  return TreeTable(answer, view, unfolds).render();
}

}  // namespace wattree
