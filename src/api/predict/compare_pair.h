// Two models, or two ways to run one, part by part.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/align.h"

namespace wattree {

struct ComparePairRequest {
  struct Side {
    ModelRef model;
    PassShape pass;
    PredictorRef predictor;
  };
  Side first;
  Side second;
};
// {"a": "bert-base-uncased", "b": "gpt2", "batch": 16, "b.dtype": "fp32"}: fields without a prefix
// hold for both, and "b." overrides them for the second. Without "b" it is the same model. "a" and
// "b" are names, or configs.
Result<ComparePairRequest> compare_pair_request(const nlohmann::json& body);

struct ComparePairAnswer {
  Prediction first;
  Prediction second;
  Alignment alignment;
  std::vector<std::string> notes;
};
Result<ComparePairAnswer> compare_pair(const ComparePairRequest& request, const Services& services);

// The contract of docs/schemas/compare_pair.schema.json.
std::string to_json(const ComparePairAnswer& answer, int indent = 2);

}  // namespace wattree
