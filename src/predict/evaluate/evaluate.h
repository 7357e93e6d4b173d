// How far a method is off on models it has not seen: everything of one model, or one family, is
// left out of the fit and then predicted.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/fit/fit.h"

namespace wattree {

// Mean errors by level, in percent; absent where a level has no measured node.
struct LevelValues {
  std::array<std::optional<double>, kTreeLevels> at;
};

struct NodePrediction {
  std::int32_t tree = 0;
  std::int32_t node = 0;
  Joules energy;
  Joules own;
  std::optional<Joules> low;
  std::optional<Joules> high;
  std::optional<Seconds> time;
  std::int32_t seed = 0;  // Which run, of methods that begin at random.
};

struct FoldErrors {
  std::string left_out;
  LevelValues errors;
};

struct Quantiles {
  std::array<std::optional<double>, 3> at;  // p50, p90, p99 of the errors, in percent.
};

struct Evaluation {
  std::vector<FoldErrors> rows;
  LevelValues overall;        // Over all nodes of a level ("micro"),
  LevelValues overall_macro;  // and the mean over the rows.
  std::array<Quantiles, kTreeLevels> quantiles;
  LevelValues coverage;  // Percent of nodes inside their 90 % interval,
  LevelValues width;     // and half its width, in percent of the prediction.
  LevelValues time;      // Mean error of the predicted time, in percent.
  std::vector<std::pair<std::string, LevelValues>> by_type;  // Of leaves, by class: at[0].
  double looked_up = 0;  // Share of leaves whose exact twin was among the training data.
  std::vector<NodePrediction> predictions;
  std::vector<std::string> warnings;
};

// A group to leave out: its name and the models in it, by index.
struct Group {
  std::string name;
  std::vector<std::int32_t> models;
};
// Each model by itself.
std::vector<Group> model_groups(const WorkTrees& trees);
// Models of one architecture together, by name: bert and roberta, the GPTs.
std::vector<Group> family_groups(const WorkTrees& trees);

struct ReconciledOptions {
  PredictOptions predict;
  FitOptions fit;
};
Result<Evaluation> evaluate_reconciled(const WorkTrees& trees, const std::vector<Group>& groups,
                                       const ReconciledOptions& options);

// 100 |P - G| / G, for a G that is positive.
inline double error_percent(Joules predicted, Joules measured) {
  return 100 * std::abs(predicted.value - measured.value) / measured.value;
}

// Errors, quantiles and coverage from predictions, whoever made them.
void summarise(const WorkTrees& trees, const std::vector<Group>& groups, Evaluation& evaluation);

}  // namespace wattree
