// The model that a request means, as the predictor that it means sees it in one pass.
#pragma once

#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {

struct PredictedModel {
  Prediction prediction;
  std::vector<std::string> notes;  // What the user should know of both.
};

Result<PredictedModel> predict_model(const ModelRef& model, const PassShape& pass,
                                     const PredictorRef& predictor, const Services& services);

}  // namespace wattree
