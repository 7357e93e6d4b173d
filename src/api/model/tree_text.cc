#include "src/api/model/tree_text.h"

#include <charconv>

#include "src/base/csv.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

struct Walk {
  JsonWriter& out;
  const ModelTree& tree;
  const TreeView& view;
  const std::function<void(std::size_t)>& fields;

  void write(std::int32_t index, int depth) {
    const Node& node = tree.nodes()[static_cast<std::size_t>(index)];
    out.begin_object();
    out.field("scope", node.scope);
    if (node.run >= 0) out.field("run", std::int64_t{node.run});
    out.field("type", node.type);
    out.field("level", name_of(node.level));
    fields(static_cast<std::size_t>(index));
    out.key("children");
    out.begin_array();
    std::vector<std::int32_t> children;
    tree.children(index, children);
    for (const std::int32_t child : children) {
      if (view.shows(tree.nodes()[static_cast<std::size_t>(child)], depth + 1)) {
        write(child, depth + 1);
      }
    }
    out.end_array();
    out.end_object();
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

void write_shape_and_counts(JsonWriter& out, const BuiltModel& answer, std::size_t index) {
  const Node& node = answer.tree.nodes()[index];
  out.key("shape");
  out.begin_array();
  for (const std::int64_t n : node.shape) out.value(n);
  out.end_array();
  write_counts(out, node);
}

void write_tree(JsonWriter& out, const BuiltModel& answer, const TreeView& view,
                const std::function<void(std::size_t)>& fields) {
  Walk{out, answer.tree, view, fields}.write(
      static_cast<std::int32_t>(answer.tree.nodes().size()) - 1, 0);
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
