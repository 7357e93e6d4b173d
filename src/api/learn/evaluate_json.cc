// Evaluations of trees as JSON.
#include <array>

#include "src/api/learn/evaluate.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::array<std::string_view, kTreeLevels> kLevelNames{"ml", "module", "model"};

void write(JsonWriter& json, const std::optional<double>& value) {
  value ? json.value(*value) : json.null();
}

template <class Dimension>
void write(JsonWriter& json, const std::optional<Quantity<Dimension>>& quantity) {
  quantity ? json.value(quantity->value) : json.null();
}

void write_fields(JsonWriter& json, const LevelValues& values) {
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    json.key(kLevelNames[l]);
    write(json, values.at[l]);
  }
}

void write_levels(JsonWriter& json, std::string_view name, const LevelValues& values) {
  json.key(name);
  json.begin_object();
  write_fields(json, values);
  json.end_object();
}

void write_seeds(JsonWriter& json, const Study& study) {
  json.field("seeds", static_cast<std::int64_t>(study.by_seed.size()));
  json.key("seed_range");
  json.begin_object();
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    json.key(kLevelNames[l]);
    const auto range = seed_range(study, l);
    if (!range) {
      json.null();
      continue;
    }
    json.begin_object();
    json.field("least", range->first);
    json.field("most", range->second);
    json.end_object();
  }
  json.end_object();
}

void write_rows(JsonWriter& json, const std::vector<FoldErrors>& rows) {
  json.key("rows");
  json.begin_array();
  for (const FoldErrors& row : rows) {
    json.begin_object();
    json.field("left_out", row.left_out);
    write_fields(json, row.errors);
    json.end_object();
  }
  json.end_array();
}

void write_quantiles(JsonWriter& json, const Evaluation& e) {
  json.key("quantiles");
  json.begin_object();
  for (std::size_t l = 0; l < kTreeLevels; ++l) {
    json.key(kLevelNames[l]);
    json.begin_object();
    for (const auto& [name, index] : {std::pair{"p50", 0}, {"p90", 1}, {"p99", 2}}) {
      json.key(name);
      write(json, e.quantiles[l].at[static_cast<std::size_t>(index)]);
    }
    json.end_object();
  }
  json.end_object();
}

void write_types_and_baselines(JsonWriter& json, const Study& study) {
  json.key("by_type");
  json.begin_object();
  for (const auto& [type, errors] : study.evaluation.by_type) {
    json.key(type);
    write(json, errors.at[0]);
  }
  json.end_object();
  json.key("baselines");
  json.begin_object();
  for (const Baseline& baseline : study.baselines) {
    write_levels(json, baseline.name, baseline.errors);
  }
  json.end_object();
}

}  // namespace

std::string to_json(const Study& study) {
  const Evaluation& e = study.evaluation;
  JsonWriter json(2);
  json.begin_object();
  json.field("dataset", study.dataset);
  json.field("hold_out", name_of(study.query.hold_out));
  json.field("aggregate", name_of(study.query.aggregate));
  json.field("known", name_of(known_of(study.query)));
  json.field("features", features_of(study.query));
  if (study.query.aggregate == Aggregate::kReconciled) {
    json.field("twins", study.query.use_twins);
    json.field("looked_up", e.looked_up);
  }
  if (!study.by_seed.empty()) write_seeds(json, study);
  json.field("models", study.models);
  json.field("models_left_out", study.models_left_out);
  write_rows(json, e.rows);
  write_levels(json, "overall", e.overall);
  write_levels(json, "overall_macro", e.overall_macro);
  write_quantiles(json, e);
  write_types_and_baselines(json, study);
  write_levels(json, "floor", study.floor);
  write_levels(json, "interval_coverage", e.coverage);
  write_levels(json, "interval_width", e.width);
  write_levels(json, "time", e.time);
  json.field("notes", study.notes);
  json.field("warnings", e.warnings);
  json.field("seconds", study.seconds);
  json.end_object();
  return json.take() + "\n";
}

void write_predictions(const EvaluatedTrees& answer,
                       const std::function<void(std::string_view)>& write_text) {
  const WorkTrees& work = answer.data.data.work;
  std::vector<std::string_view> group_of(work.models.size());
  for (const Group& group : answer.study.groups) {
    for (const std::int32_t m : group.models) group_of[static_cast<std::size_t>(m)] = group.name;
  }
  for (const NodePrediction& p : answer.study.evaluation.predictions) {
    const auto t = static_cast<std::size_t>(p.tree);
    const auto n = static_cast<std::size_t>(p.node);
    const DatasetTree& tree = *answer.data.data.trees[t];
    const DatasetNode& node = tree.nodes[n];
    const WorkNode& seen = work.trees[t].nodes[n];
    JsonWriter json;
    json.begin_object();
    json.field("left_out", group_of[static_cast<std::size_t>(work.trees[t].model)]);
    json.field("model", tree.model_name);
    json.field("batch_size", tree.batch_size);
    json.field("seq_len", tree.seq_len);
    json.field("scope", node.scope);
    json.field("type", node.instance_type);
    json.field("level", kLevelNames[static_cast<std::size_t>(seen.level)]);
    json.key("measured_j");
    write(json, seen.energy);
    json.field("predicted_j", p.energy.value);
    json.key("low_j");
    write(json, p.low);
    json.key("high_j");
    write(json, p.high);
    json.field("own_j", p.own.value);
    if (!answer.study.by_seed.empty()) json.field("seed", std::int64_t{p.seed});
    json.key("error_percent");
    seen.energy ? json.value(error_percent(p.energy, *seen.energy)) : json.null();
    json.end_object();
    write_text(json.take() + "\n");
  }
}

}  // namespace wattree
