// What would lower the energy of a pass.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/suggest.h"

namespace wattree {

struct SuggestRequest {
  ModelRef model;
  PassShape pass;
  PredictorRef predictor;
};
Result<SuggestRequest> suggest_request(const nlohmann::json& body);

struct SuggestAnswer {
  Suggestions suggestions;
  std::vector<std::string> notes;
};
Result<SuggestAnswer> suggest(const SuggestRequest& request, const Services& services);

// The contract of docs/schemas/suggest.schema.json.
std::string to_json(const SuggestAnswer& answer, int indent = 2);

}  // namespace wattree
