#include "src/predict/evaluate/study.h"

#include <algorithm>
#include <chrono>

#include "src/measure/dataset/json_lines_reader.h"

namespace wattree {
namespace {

// The wall meter and the GPU's counter are two instruments; on data of one instrument, what was
// read at a node is the very thing to predict.
bool has_one_counter(const EvaluationData& data) {
  std::int64_t same = 0;
  std::int64_t all = 0;
  for (const WorkTree& tree : data.work.trees) {
    for (const WorkNode& node : tree.nodes) {
      if (!node.energy || !node.reading) continue;
      ++all;
      same += *node.energy == node.reading->gpu_energy;
    }
  }
  return all > 0 && same == all;
}

std::vector<std::string> notes_on(const EvaluationData& data, const StudyOptions& query) {
  std::vector<std::string> notes;
  if (has_one_counter(data) && known_of(query) != Known::kNothing) {
    notes.emplace_back(
        "time, GPU energy and the energy to predict come from one counter: with the node known "
        "the error is that counter's repeatability, with leaves or children known it is "
        "additivity; only nothing known is prediction");
  }
  return notes;
}

Status check_groups(const std::vector<Group>& groups, HoldOut hold_out) {
  if (groups.size() > 1) return {};
  const bool by_family = hold_out == HoldOut::kFamily;
  return Error{ErrorCode::kInvalidInput,
               std::string(name_of(hold_out)) + " needs two " +
                   (by_family ? "families" : "models") + " at least, and there is only " +
                   groups.front().name,
               by_family ? "measure a model of another family, or use <leave_one_model_out>"
                         : "measure another model, or check <include> and <exclude>"};
}

}  // namespace

std::string_view name_of(HoldOut hold_out) {
  return hold_out == HoldOut::kFamily ? "leave-one-family-out" : "leave-one-model-out";
}

std::string_view features_of(const StudyOptions& query) {
  if (query.aggregate != Aggregate::kReconciled) return name_of(query.features);
  return query.known == Known::kNothing ? "model" : "all";
}

Known known_of(const StudyOptions& query) {
  if (query.aggregate == Aggregate::kReconciled) return query.known;
  if (query.features == IreneFeatures::kModel) return Known::kNothing;
  switch (query.aggregate) {
    case Aggregate::kSum: return Known::kLeaves;
    case Aggregate::kUnstructured: return Known::kNode;
    default: return Known::kChildren;  // And what is below them, but not the node.
  }
}

std::optional<std::pair<double, double>> seed_range(const Study& answer, std::size_t level) {
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

Result<StudyData> read_study_data(const std::string& path, const ModelChoice& choice) {
  Result<Dataset> read = read_dataset(path, {.skips_bad = choice.skips_bad});
  if (!read.ok()) return read.error();
  Dataset dataset = std::move(read).value();
  Result<ChosenTrees> chosen = choose_models(dataset.trees, choice);
  if (!chosen.ok()) return chosen.error();
  StudyData input(path, std::move(dataset.trees), std::move(chosen).value());
  note_bad_lines(dataset.skipped, dataset.problems, input.warnings);
  return input;
}

Result<Study> run_study(const StudyData& input, const StudyOptions& query) {
  Study answer;
  answer.dataset = input.dataset;
  answer.query = query;
  answer.models = input.chosen.models;
  answer.models_left_out = input.chosen.left_out;
  const EvaluationData& data = input.data;
  answer.groups =
      query.hold_out == HoldOut::kFamily ? family_groups(data.work) : model_groups(data.work);
  if (const Status failure = check_groups(answer.groups, query.hold_out); !failure.ok())
    return failure.error();

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

}  // namespace wattree
