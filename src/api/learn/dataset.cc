#include "src/api/learn/dataset.h"

#include <optional>
#include <set>
#include <utility>

#include "src/base/error_field.h"
#include "src/base/json_writer.h"
#include "src/measure/dataset/irene_import.h"
#include "src/measure/dataset/json_lines_writer.h"

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

Result<StatsAnswer> dataset_stats(const StatsRequest& request, const Services& /*services*/) {
  Result<DatasetReader> opened =
      DatasetReader::open(request.dataset, {.skips_bad = request.skip_bad});
  if (!opened.ok()) return of_field("dataset", opened.error());
  DatasetReader reader = std::move(opened).value();
  StatsAnswer out;
  out.dataset = request.dataset;
  while (const std::optional<DatasetTree> tree = reader.next()) out.stats.add(*tree);
  if (!reader.failure().ok()) return of_field("dataset", reader.failure().error());
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

Result<ImportAnswer> import_published(const ImportRequest& request, const Services& /*services*/) {
  Result<Dataset> read = import_irene(request.folder, {.skips_bad = request.skip_bad});
  if (!read.ok()) return of_field("folder", read.error());
  ImportAnswer out;
  out.dataset = std::move(read).value();
  std::set<std::string_view> models;
  for (const DatasetTree& tree : out.dataset.trees) {
    out.nodes += tree.nodes.size();
    models.insert(tree.model_name);
  }
  out.models = models.size();
  if (request.output.empty()) return out;
  if (const Status failure = write_dataset(request.output, out.dataset.trees); !failure.ok())
    return of_field("output", failure.error());
  return out;
}

std::string to_json_lines(const ImportAnswer& answer) {
  std::string out;
  for (const DatasetTree& tree : answer.dataset.trees) out += to_json_line(tree);
  return out;
}

}  // namespace wattree
