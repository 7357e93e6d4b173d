#include "src/report/table/tree_table.h"

#include <fmt/format.h>

#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_rows.h"

namespace wattree {
namespace {}  // namespace

std::string pass_phrase(const BuiltModel& answer) {
  const Pass& pass = answer.pass;
  // The length of what is no text belongs to the config.
  std::string what = answer.has_text_source ? fmt::format("pass of {} × {}", pass.batch, pass.seq)
                     : pass.batch == 1      ? "pass of 1 item"
                                            : fmt::format("pass of {} items", pass.batch);
  if (pass.past > 0) {
    what = fmt::format("decode step of {} × 1 over {} past tokens", pass.batch, pass.past);
    if (answer.is_encoder_decoder && answer.has_text_source)
      what += fmt::format(" and a source of {}", pass.source);
  } else if (answer.is_encoder_decoder) {
    what += fmt::format(" to {}", pass.target_len);
  }
  return what;
}

std::string tree_headline(const BuiltModel& answer) {
  const Pass& pass = answer.pass;
  const Node& root = answer.tree.root();
  return fmt::format(
      "{} of {}: {}, {}, one {}\n{} parameters, {}, {} in matrix products, {} moved\n",
      answer.class_name, answer.model, name_of(pass.precision), name_of(pass.attention),
      pass_phrase(answer), with_prefix(static_cast<double>(root.params)),
      with_prefix(static_cast<double>(root.flops), "FLOP"),
      with_prefix(static_cast<double>(root.matmul_flops), "FLOP"),
      with_prefix(static_cast<double>(root.bytes), "B"));
}

std::string tree_table(const BuiltModel& answer, const TreeView& view, bool unfolds) {
  const Node& whole = answer.tree.root();
  std::vector<std::vector<std::string>> rows;
  for (const TreeRow& row : tree_rows(answer.tree, view, unfolds)) {
    const Node& node = answer.tree.nodes()[row.node];
    std::string shape;
    for (int i = 0; i < node.shape.rank(); ++i) {
      shape += (i > 0 ? "×" : "") + std::to_string(node.shape[i]);
    }
    const double n = static_cast<double>(row.times);
    const auto share_of = [n](std::int64_t part, std::int64_t all) {
      return all > 0 ? n * static_cast<double>(part) / static_cast<double>(all) : 0.0;
    };
    const double share = share_of(node.flops, whole.flops);
    rows.push_back({row.label(), std::string(node.type), shape,
                    with_prefix(static_cast<double>(node.params) * n),
                    with_prefix(static_cast<double>(node.flops) * n),
                    with_prefix(static_cast<double>(node.bytes) * n, "B"),
                    fmt::format("{:.1f}", 100 * share_of(node.bytes, whole.bytes)),
                    fmt::format("{:.1f}", 100 * share), bar(share, kBarCells)});
  }
  return render_table({{"node"},
                       {"type"},
                       {"shape"},
                       {"params", true},
                       {"FLOP", true},
                       {"bytes", true},
                       {"% bytes", true},
                       {"% FLOP", true},
                       {""}},
                      rows);
}

}  // namespace wattree
