#include "src/api/dataset.h"

#include <optional>
#include <set>
#include <utility>

#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_count(JsonWriter& out, std::string_view name, std::size_t count) {
  out.field(name, static_cast<std::int64_t>(count));
}

void write_levels(JsonWriter& out, std::string_view name, const LevelCounts& counts) {
  out.key(name);
  out.begin_object();
  write_count(out, "ml", counts.ml);
  write_count(out, "module", counts.module);
  write_count(out, "model", counts.model);
  out.end_object();
}

template <class T>
void write_list(JsonWriter& out, std::string_view name, const std::set<T>& values) {
  out.key(name);
  out.begin_array();
  for (const T& value : values) out.value(value);
  out.end_array();
}

void write_fields(JsonWriter& out, const ModelStats& stats) {
  write_count(out, "trees", stats.trees);
  write_levels(out, "nodes", stats.nodes);
  write_count(out, "unmeasured_nodes", stats.unmeasured);
  out.field("depth", std::int64_t{stats.depth});
  write_list(out, "batch_sizes", stats.batch_sizes);
  write_list(out, "seq_lens", stats.seq_lens);
}

}  // namespace

Result<StatsAnswer> dataset_stats(const std::filesystem::path& path, ReadOptions options) {
  Result<DatasetReader> opened = DatasetReader::open(path, options);
  if (!opened.ok()) return opened.error();
  DatasetReader reader = std::move(opened).value();
  StatsAnswer out;
  out.dataset = path.string();
  while (const std::optional<DatasetTree> tree = reader.next()) out.stats.add(*tree);
  if (!reader.failure().ok()) return reader.failure().error();
  out.problems = reader.problems();
  out.skipped_lines = reader.skipped_lines();
  return out;
}

std::string to_json(const StatsAnswer& answer) {
  const DatasetStats& stats = answer.stats;
  JsonWriter out(2);
  out.begin_object();
  out.field("dataset", answer.dataset);
  write_fields(out, stats.total());
  write_levels(out, "measured_nodes", stats.measured());
  write_levels(out, "distinct_measurements", stats.distinct());
  write_count(out, "predicted_nodes", stats.predicted());
  write_count(out, "nodes_with_ops", stats.with_ops());
  write_count(out, "skipped_lines", answer.skipped_lines);
  out.key("models");
  out.begin_array();
  for (const ModelStats& model : stats.models()) {
    out.begin_object();
    out.field("model_name", model.model_name);
    write_fields(out, model);
    out.end_object();
  }
  out.end_array();
  out.key("op_types");
  out.begin_array();
  for (const auto& [name, op] : stats.ops()) {
    out.begin_object();
    out.field("instance_type", name);
    write_count(out, "nodes", op.nodes);
    write_count(out, "measured_nodes", op.measured);
    write_count(out, "distinct_measurements", op.distinct);
    write_list(out, "models", op.models);
    out.end_object();
  }
  out.end_array();
  out.key("missing_values");
  out.begin_object();
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    write_count(out, kFeatureNames[i], stats.missing()[i]);
  }
  out.end_object();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
