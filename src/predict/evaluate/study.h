// A study: how far a method is off on models that it has not seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/measure/dataset/choose_models.h"
#include "src/predict/evaluate/baselines.h"
#include "src/predict/evaluate/evaluate.h"
#include "src/predict/evaluate/irene.h"
#include "src/predict/fit/aggregate.h"

namespace wattree {

enum class HoldOut : std::uint8_t { kModel, kFamily };
std::string_view name_of(HoldOut hold_out);  // leave-one-model-out, leave-one-family-out

struct StudyOptions {
  HoldOut hold_out = HoldOut::kModel;
  Aggregate aggregate = Aggregate::kReconciled;
  Known known = Known::kNothing;
  bool use_twins = true;
  // Of IrEne's methods only:
  IreneFeatures features = IreneFeatures::kAll;
  int seeds = 10;
};

struct Study {
  std::string dataset;  // As the user named it.
  StudyOptions query;
  std::vector<std::string> models;
  std::vector<std::string>
      models_left_out;  // For good: they are neither learnt from nor predicted.
  std::vector<Group> groups;
  Evaluation evaluation;
  std::vector<LevelValues> by_seed;  // Of methods that begin at random.
  std::vector<Baseline> baselines;
  LevelValues floor;
  std::vector<std::string> notes;  // What the figures mean on this data.
  double seconds = 0;              // To fit and predict all folds.
};

// A dataset, read once for any number of evaluations.
struct StudyData {
  StudyData(std::string name, std::vector<DatasetTree> all, ChosenTrees chosen_of_them)
      : dataset(std::move(name)),
        trees(std::move(all)),
        chosen(std::move(chosen_of_them)),
        data(chosen.trees) {}
  StudyData(StudyData&&) = default;
  StudyData(const StudyData&) = delete;  // What was chosen points into `trees`.
  std::string dataset;
  std::vector<DatasetTree> trees;
  ChosenTrees chosen;
  EvaluationData data;
  std::vector<std::string> warnings;  // Of reading.
};
Result<StudyData> read_study_data(const std::string& path, const ModelChoice& choice);

Result<Study> run_study(const StudyData& input, const StudyOptions& query);

// Which of the dataset's features the method looks at: "all", "model" or "resource".
std::string_view features_of(const StudyOptions& query);
// What of a new model must have been run for it.
Known known_of(const StudyOptions& query);

// The least and the most error of a level over the seeds.
std::optional<std::pair<double, double>> seed_range(const Study& answer, std::size_t level);

}  // namespace wattree
