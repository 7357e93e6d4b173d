#include "src/api/evaluate.h"

#include <algorithm>
#include <chrono>

#include "src/base/json_writer.h"
#include "src/dataset/json_lines_reader.h"

namespace wattree {
namespace {

constexpr std::array<std::string_view, kTreeLevels> kLevelNames{"ml", "module", "model"};

void write(JsonWriter& json, const std::optional<double>& value) {
  value ? json.value(*value) : json.null();
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

// The wall meter and the GPU's counter are two instruments; on data of one instrument, what was
// read at a node is the very thing to predict.
bool has_one_counter(const EvaluationData& data) {
  std::int64_t same = 0;
  std::int64_t all = 0;
  for (const WorkTree& tree : data.work.trees) {
    for (const WorkNode& node : tree.nodes) {
      if (!node.energy_j || !node.reading) continue;
      ++all;
      same += *node.energy_j == node.reading->gpu_energy_j;
    }
  }
  return all > 0 && same == all;
}

std::vector<std::string> notes_on(const EvaluationData& data, const EvaluateQuery& query) {
  std::vector<std::string> notes;
  if (has_one_counter(data) && known_of(query) != Known::kNothing) {
    notes.emplace_back(
        "time, GPU energy and the energy to predict come from one counter: with the node known "
        "the error is that counter's repeatability, with leaves or children known it is "
        "additivity; only nothing known is prediction");
  }
  return notes;
}

Failure check_groups(const std::vector<Group>& groups, HoldOut hold_out) {
  if (groups.size() > 1) return std::nullopt;
  const bool by_family = hold_out == HoldOut::kFamily;
  return Error{ErrorCode::kInvalidInput,
               std::string(name_of(hold_out)) + " needs two " +
                   (by_family ? "families" : "models") + " at least, and there is only " +
                   groups.front().name,
               by_family ? "measure a model of another family, or use --leave-one-model-out"
                         : "measure another model, or check --include and --exclude"};
}

}  // namespace

std::string_view name_of(HoldOut hold_out) {
  return hold_out == HoldOut::kFamily ? "leave-one-family-out" : "leave-one-model-out";
}

std::string_view features_of(const EvaluateQuery& query) {
  if (query.aggregate != Aggregate::kReconciled) return name_of(query.features);
  return query.known == Known::kNothing ? "model" : "all";
}

Known known_of(const EvaluateQuery& query) {
  if (query.aggregate == Aggregate::kReconciled) return query.known;
  if (query.features == IreneFeatures::kModel) return Known::kNothing;
  switch (query.aggregate) {
    case Aggregate::kSum: return Known::kLeaves;
    case Aggregate::kUnstructured: return Known::kNode;
    default: return Known::kChildren;  // And what is below them, but not the node.
  }
}

std::optional<std::pair<double, double>> seed_range(const EvaluateAnswer& answer,
                                                    std::size_t level) {
  std::optional<std::pair<double, double>> range;
  for (const LevelValues& values : answer.by_seed) {
    if (!values.at[level]) continue;
    const double value = *values.at[level];
    if (!range) range = {value, value};
    range->first = std::min(range->first, value);
    range->second = std::max(range->second, value);
  }
  return range;
}

Result<EvaluateInput> read_evaluate_input(const std::string& path, const ModelChoice& choice) {
  Result<Dataset> read = read_dataset(path, {.skips_bad = choice.skips_bad});
  if (!read.ok()) return read.error();
  Dataset dataset = std::move(read).value();
  Result<ChosenTrees> chosen = choose_models(dataset.trees, choice);
  if (!chosen.ok()) return chosen.error();
  EvaluateInput input(path, std::move(dataset.trees), std::move(chosen).value());
  note_bad_lines(dataset.skipped, dataset.problems, input.warnings);
  return input;
}

Result<EvaluateAnswer> evaluate_dataset(const EvaluateInput& input, const EvaluateQuery& query) {
  EvaluateAnswer answer;
  answer.dataset = input.dataset;
  answer.query = query;
  answer.models = input.chosen.models;
  answer.models_left_out = input.chosen.left_out;
  const EvaluationData& data = input.data;
  answer.groups =
      query.hold_out == HoldOut::kFamily ? family_groups(data.work) : model_groups(data.work);
  if (const Failure failure = check_groups(answer.groups, query.hold_out)) return *failure;

  const auto begin = std::chrono::steady_clock::now();
  if (query.aggregate == Aggregate::kReconciled) {
    Result<Evaluation> evaluation =
        evaluate_reconciled(data.work, answer.groups, {{query.known, query.use_twins}, {}});
    if (!evaluation.ok()) return evaluation.error();
    answer.evaluation = std::move(evaluation).value();
  } else {
    IreneOptions options;
    options.aggregate = irene_aggregate(query.aggregate);
    options.features = query.features;
    Result<IreneEvaluation> evaluation =
        evaluate_irene(data, answer.groups, options, std::max(1, query.seeds));
    if (!evaluation.ok()) return evaluation.error();
    IreneEvaluation irene = std::move(evaluation).value();
    answer.evaluation = std::move(irene.evaluation);
    if (query.aggregate != Aggregate::kSum) answer.by_seed = std::move(irene.by_seed);
    if (irene.without > 0) {
      answer.evaluation.warnings.push_back(std::to_string(irene.without) +
                                           " predictions could not be made and are in no error");
    }
  }
  auto& warnings = answer.evaluation.warnings;
  warnings.insert(warnings.begin(), input.warnings.begin(), input.warnings.end());
  const auto& errors = answer.evaluation.overall.at;
  if (!errors[0] && !errors[1] && !errors[2]) {
    return Error{ErrorCode::kInvalidInput,
                 input.dataset + ": no node has a measured energy to compare a prediction with",
                 "check ground_truth_energy in the dataset (wattree dataset stats)"};
  }
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  answer.baselines = one_figure_baselines(data, answer.groups);
  IreneOptions sum;
  sum.aggregate = IreneAggregate::kSum;
  const Result<IreneEvaluation> summed = evaluate_irene(data, answer.groups, sum, 1);
  if (summed.ok()) {  // Data without readings has no such baseline.
    answer.baselines.push_back({"predicted_sum", summed.value().evaluation.overall});
  }
  answer.floor = repeatability(data);
  answer.notes = notes_on(data, query);
  return answer;
}

std::string to_json(const EvaluateAnswer& answer) {
  const Evaluation& e = answer.evaluation;
  JsonWriter json(2);
  json.begin_object();
  json.field("dataset", answer.dataset);
  json.field("hold_out", name_of(answer.query.hold_out));
  json.field("aggregate", name_of(answer.query.aggregate));
  json.field("known", name_of(known_of(answer.query)));
  json.field("features", features_of(answer.query));
  if (answer.query.aggregate == Aggregate::kReconciled) {
    json.field("twins", answer.query.use_twins);
    json.field("looked_up", e.looked_up);
  }
  if (!answer.by_seed.empty()) {
    json.field("seeds", static_cast<std::int64_t>(answer.by_seed.size()));
    json.key("seed_range");
    json.begin_object();
    for (std::size_t l = 0; l < kTreeLevels; ++l) {
      json.key(kLevelNames[l]);
      const auto range = seed_range(answer, l);
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
  json.field("models", answer.models);
  json.field("models_left_out", answer.models_left_out);
  json.key("rows");
  json.begin_array();
  for (const FoldErrors& row : e.rows) {
    json.begin_object();
    json.field("left_out", row.left_out);
    write_fields(json, row.errors);
    json.end_object();
  }
  json.end_array();
  write_levels(json, "overall", e.overall);
  write_levels(json, "overall_macro", e.overall_macro);
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
  json.key("by_type");
  json.begin_object();
  for (const auto& [type, errors] : e.by_type) {
    json.key(type);
    write(json, errors.at[0]);
  }
  json.end_object();
  json.key("baselines");
  json.begin_object();
  for (const Baseline& baseline : answer.baselines) {
    write_levels(json, baseline.name, baseline.errors);
  }
  json.end_object();
  write_levels(json, "floor", answer.floor);
  write_levels(json, "interval_coverage", e.coverage);
  write_levels(json, "interval_width", e.width);
  write_levels(json, "time", e.time);
  json.field("notes", answer.notes);
  json.field("warnings", e.warnings);
  json.field("seconds", answer.seconds);
  json.end_object();
  return json.take() + "\n";
}

void write_predictions(const EvaluateInput& input, const EvaluateAnswer& answer,
                       const std::function<void(std::string_view)>& write_text) {
  const WorkTrees& work = input.data.work;
  std::vector<std::string_view> group_of(work.models.size());
  for (const Group& group : answer.groups) {
    for (const std::int32_t m : group.models) group_of[static_cast<std::size_t>(m)] = group.name;
  }
  for (const NodePrediction& p : answer.evaluation.predictions) {
    const auto t = static_cast<std::size_t>(p.tree);
    const auto n = static_cast<std::size_t>(p.node);
    const DatasetTree& tree = *input.data.trees[t];
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
    write(json, seen.energy_j);
    json.field("predicted_j", p.energy_j);
    json.key("low_j");
    write(json, p.low_j);
    json.key("high_j");
    write(json, p.high_j);
    json.field("own_j", p.own_j);
    if (!answer.by_seed.empty()) json.field("seed", std::int64_t{p.seed});
    json.key("error_percent");
    seen.energy_j ? json.value(error_percent(p.energy_j, *seen.energy_j)) : json.null();
    json.end_object();
    write_text(json.take() + "\n");
  }
}

}  // namespace wattree
