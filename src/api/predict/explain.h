// How the predicted number of one node of a model came about.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/explain.h"

namespace wattree {

struct ExplainRequest {
  ModelRef model;
  PassShape pass;
  PredictorRef predictor;
  std::string node;  // Its scope, as find_node() takes it; empty: the root.
};
Result<ExplainRequest> explain_request(const nlohmann::json& body);

struct ExplainAnswer {
  Prediction prediction;
  Explanation explanation;
  std::vector<std::string> notes;
};
Result<ExplainAnswer> explain(const ExplainRequest& request, const Services& services);

// The contract of docs/schemas/explain.schema.json.
std::string to_json(const ExplainAnswer& answer, int indent = 2);

}  // namespace wattree
