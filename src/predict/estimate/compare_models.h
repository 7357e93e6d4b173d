// Models side by side, at the same sizes and with the same predictor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/models/hub/resolve.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

struct NamedModel {
  std::string name;
  ModelText text;
};

struct ComparedModel {
  Prediction prediction;
  // Its energy over the first model's, with a 90 % interval: what both models run is wrong by the
  // same in both, so that the ratio of models that are alike is known well.
  double ratio = 1;
  double ratio_low = 1;
  double ratio_high = 1;
};

struct ModelComparison {
  std::vector<ComparedModel> models;
  std::optional<double> limit;  // 0.03: 3 % more energy than the first is too much.

  // Those that take more than the limit allows.
  std::vector<std::string> above_limit() const;
};

Result<ModelComparison> compare_models(const std::vector<NamedModel>& models,
                                       const PassShape& query, const LoadedPredictor& by,
                                       std::optional<double> limit);

}  // namespace wattree
