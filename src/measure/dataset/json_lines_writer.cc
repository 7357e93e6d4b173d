#include "src/measure/dataset/json_lines_writer.h"

#include "src/base/json_writer.h"
#include "src/base/output_file.h"

namespace wattree {
namespace {

// 2^53: beyond it a double does not tell neighbouring integers apart.
constexpr double kExactIntegers = 9007199254740992.0;

template <class Unit>
void write_if_present(JsonWriter& out, std::string_view name, const std::optional<Unit>& quantity) {
  if (quantity) out.field(name, quantity->value);
}

void write_features(JsonWriter& out, const Features& features) {
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    const double value = features.get(feature);
    out.key(kFeatureNames[i]);
    // A count reads better as 1000000 than as 1e+06.
    if (feature == Feature::kParameters && value >= 0 && value <= kExactIntegers &&
        value == std::floor(value)) {
      out.value(static_cast<std::int64_t>(value));
    } else {
      out.value(value);  // NaN, that is absent, is written as null.
    }
  }
}

void write_ops(JsonWriter& out, const std::vector<Kernels>& ops) {
  out.key("ops");
  out.begin_array();
  for (const Kernels& kernels : ops) {
    out.begin_object();
    out.field("op", kernels.op);
    out.field("calls", kernels.calls);
    out.field("flops", kernels.flops);
    out.field("mem_bytes", kernels.mem_bytes);
    out.end_object();
  }
  out.end_array();
}

void write_node(JsonWriter& out, const DatasetTree& tree, std::int32_t index, std::int64_t level) {
  const DatasetNode& node = tree.nodes[static_cast<std::size_t>(index)];
  out.begin_object();
  out.field("id", node.id);
  out.field("scope", node.scope);
  out.field("parent_name",
            node.parent < 0 ? "" : tree.nodes[static_cast<std::size_t>(node.parent)].scope);
  out.field("level", level);
  out.field("instance_type", node.instance_type);
  out.field("type", name_of(node.type));
  write_features(out, node.features);
  out.key("ground_truth_energy");
  node.energy ? out.value(node.energy->value) : out.null();
  write_if_present(out, "predicted_energy", node.predicted);
  write_if_present(out, "predicted_low_j", node.predicted_low);
  write_if_present(out, "predicted_high_j", node.predicted_high);
  write_if_present(out, "predicted_own_j", node.predicted_own);
  write_if_present(out, "predicted_time_s", node.predicted_time);
  if (!node.ops.empty()) write_ops(out, node.ops);
  const std::vector<std::int32_t> children = children_of(tree, index);
  out.key("child_nodes_obj");
  out.begin_array();
  for (const std::int32_t child : children) write_node(out, tree, child, level + 1);
  out.end_array();
  out.key("child_nodes");
  out.begin_array();
  for (const std::int32_t child : children) {
    out.value(tree.nodes[static_cast<std::size_t>(child)].scope);
  }
  out.end_array();
  out.end_object();
}

}  // namespace

std::string to_json_line(const DatasetTree& tree) {
  JsonWriter out;
  out.begin_object();
  out.field("model_name", tree.model_name);
  out.field("batch_size", tree.batch_size);
  out.field("seq_len", tree.seq_len);
  if (!tree.dtype.empty()) out.field("dtype", tree.dtype);
  if (!tree.protocol.empty()) out.field("protocol", tree.protocol);
  out.key("frontend_tree");
  write_node(out, tree, static_cast<std::int32_t>(tree.nodes.size()) - 1, 0);
  out.end_object();
  return out.take() + "\n";
}

Status write_dataset(const std::filesystem::path& path, std::span<const DatasetTree> trees) {
  OutputFile file(path);
  for (const DatasetTree& tree : trees) file.write(to_json_line(tree));
  return file.finish();
}

}  // namespace wattree
