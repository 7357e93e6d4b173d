// All known models for a size and a device.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/predict/estimate/leaderboard.h"

namespace wattree {

struct LeaderboardRequest {
  PassShape pass;  // Without a dtype, bf16 where the predictor has it.
  PredictorRef predictor;
  Per per = Per::kItem;
  std::optional<ModelKind> kind;
  std::string family;
  std::string task;
  std::optional<double> max_j;
  std::optional<double> max_s;
};
Result<LeaderboardRequest> leaderboard_request(const nlohmann::json& body);

struct LeaderboardAnswer {
  LeaderboardRequest request;
  LoadedPredictor by;
  std::string dtype;  // Of all models; empty: of each as it is published.
  Leaderboard board;
};
Result<LeaderboardAnswer> leaderboard(const LeaderboardRequest& request, const Services& services);

// The contract of docs/schemas/leaderboard.schema.json.
std::string to_json(const LeaderboardAnswer& answer, int indent = 2);

}  // namespace wattree
