// A whole request to a model: the prompt, and then token after token.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/generate.h"
#include "src/predict/estimate/totals.h"

namespace wattree {

struct GenerateRequest {
  ModelRef model;
  PassShape pass;          // Its length is the prompt's; of an encoder-decoder the source's.
  std::int64_t steps = 1;  // Decode steps after the prompt's pass: "generate" in JSON.
  PredictorRef predictor;
  TotalsRequest totals;
};
Result<GenerateRequest> generate_request(const nlohmann::json& body);

struct GenerateAnswer {
  Generation generation;
  QueryTotals totals;
  std::vector<std::string> notes;
};
Result<GenerateAnswer> generate(const GenerateRequest& request, const Services& services,
                                const ShowProgress& progress);

// The contract of docs/schemas/generate.schema.json.
std::string to_json(const GenerateAnswer& answer, int indent = 2);

}  // namespace wattree
