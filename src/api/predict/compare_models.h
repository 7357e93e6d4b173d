// Models beside each other, as predicted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/compare_models.h"

namespace wattree {

struct CompareModelsRequest {
  std::vector<ModelRef> models;  // The first is what the others are compared with.
  PassShape pass;
  PredictorRef predictor;
  std::optional<double> limit;  // 0.03: 3 % more energy than the first is too much.
};
// `models` are names, or objects {model | config, revision}.
Result<CompareModelsRequest> compare_models_request(const nlohmann::json& body);

struct CompareModelsAnswer {
  ModelComparison comparison;
  std::vector<std::string> notes;
};
Result<CompareModelsAnswer> compare_models(const CompareModelsRequest& request,
                                           const Services& services);

// The contract of docs/schemas/compare.schema.json.
std::string to_json(const CompareModelsAnswer& answer, int indent = 2);

}  // namespace wattree
