#include "src/api/model/tree_text.h"

#include <charconv>

#include "src/base/csv.h"
#include "src/base/json_writer.h"
#include "src/models/tree/folding.h"

namespace wattree {
namespace {

struct Walk {
  JsonWriter& out;
  const ModelTree& tree;
  const TreeView& view;
  const std::function<void(const ShownNode&)>& fields;

  const Node& at(std::int32_t index) const { return tree.nodes()[static_cast<std::size_t>(index)]; }

  // `above` is what stands for the parent.
  void write(const Fold& fold, int depth, const ShownNode& above) {
    const Node& node = at(fold.first);
    const std::int64_t times = above.times * fold.count;
    const bool is_one_module = at(fold.last).scope == node.scope;
    const ShownNode shown{static_cast<std::size_t>(fold.first), fold.count, times,
                          above.holders * (is_one_module ? 1 : fold.count)};
    out.begin_object();
    out.field("scope", node.scope);
    if (fold.count > 1) {
      if (!is_one_module) out.field("last_scope", at(fold.last).scope);
      out.field("count", fold.count);
    }
    if (times > 1) out.field("times", times);
    // Of a fold of runs it would be the first one's.
    if (node.run >= 0 && times == 1) out.field("run", std::int64_t{node.run});
    out.field("type", node.type);
    out.field("level", name_of(node.level));
    fields(shown);
    write_children(shown, depth + 1);
    out.end_object();
  }

  void write_children(const ShownNode& parent, int depth) {
    std::vector<Fold> children;
    folded_children(tree, static_cast<std::int32_t>(parent.index), view.folds, children);
    std::int64_t hidden = 0;
    out.key("children");
    out.begin_array();
    for (const Fold& child : children) {
      if (view.shows(at(child.first), depth)) {
        write(child, depth, parent);
      } else {
        ++hidden;
      }
    }
    out.end_array();
    if (view.folds && hidden > 0) out.field("hidden", hidden);
  }
};

}  // namespace

void write_subject(JsonWriter& out, const BuiltModel& answer) {
  out.field("model", answer.model);
  out.field("class", answer.class_name);
}

void write_pass(JsonWriter& out, const BuiltModel& answer) {
  out.field("batch_size", answer.pass.batch);
  out.field("seq_len", answer.pass.seq);
  if (answer.is_encoder_decoder) out.field("target_len", answer.pass.target_len);
  if (answer.is_encoder_decoder && answer.has_text_source && answer.pass.past > 0) {
    out.field("source_len", answer.pass.source);
  }
  if (answer.pass.past > 0) out.field("past", answer.pass.past);
}

void write_precision(JsonWriter& out, const BuiltModel& answer) {
  out.field("dtype", name_of(answer.pass.precision));
  out.field("attention", name_of(answer.pass.attention));
}

void write_counts(JsonWriter& out, const Node& node) {
  out.field("params", node.params);
  out.field("flops", node.flops);
  out.field("matmul_flops", node.matmul_flops);
  out.field("bytes", node.bytes);
}

void write_shape_and_counts(JsonWriter& out, const BuiltModel& answer, const ShownNode& shown) {
  const Node& node = answer.tree.nodes()[shown.index];
  out.key("shape");
  out.begin_array();
  for (const std::int64_t n : node.shape) out.value(n);
  out.end_array();
  out.field("params", node.params * shown.holders);
  out.field("flops", node.flops * shown.times);
  out.field("matmul_flops", node.matmul_flops * shown.times);
  out.field("bytes", node.bytes * shown.times);
}

void write_tree(JsonWriter& out, const BuiltModel& answer, const TreeView& view,
                const std::function<void(const ShownNode&)>& fields) {
  const std::int32_t root = static_cast<std::int32_t>(answer.tree.nodes().size()) - 1;
  Walk{out, answer.tree, view, fields}.write({root, root, 1}, 0, {});
}

std::string tree_csv(const BuiltModel& answer, const TreeView& view, std::string_view titles,
                     const std::function<void(std::string&, std::size_t)>& more) {
  std::string out = "scope,run,type,level,depth,shape,params,flops,matmul_flops,bytes";
  out += titles;
  out += '\n';
  const auto nodes = answer.tree.nodes();
  std::vector<int> depth(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent >= 0) depth[i] = depth[static_cast<std::size_t>(nodes[i].parent)] + 1;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (!view.shows(node, depth[i])) continue;
    out += csv_field(node.scope) + ',';
    if (node.run >= 0) out += std::to_string(node.run);
    out += ',' + csv_field(node.type) + ',';
    out += name_of(node.level);
    out += ',' + std::to_string(depth[i]) + ',';
    for (int d = 0; d < node.shape.rank(); ++d) {
      out += (d > 0 ? "x" : "") + std::to_string(node.shape[d]);
    }
    for (const std::int64_t figure : {node.params, node.flops, node.matmul_flops, node.bytes}) {
      out += ',' + std::to_string(figure);
    }
    if (more) more(out, i);
    out += '\n';
  }
  return out;
}

void append_numbers(std::string& row, std::initializer_list<double> values, bool is_known) {
  for (const double value : values) {
    row += ',';
    char buffer[32];
    if (is_known) row.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

void append_basis(std::string& row, const Provenance& provenance) {
  row += ',';
  row += name_of(provenance.basis);
  row += ',' + csv_field(provenance.by) + ',';
  row += name_of(provenance.boundary);
}

}  // namespace wattree
