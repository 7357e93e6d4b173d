// One pass of a model, with the time and energy of every node.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/api/predict/estimate_text.h"
#include "src/models/tree/view.h"

namespace wattree {

// What is shown beside the tree, or instead of it.
struct ExtrasRequest {
  std::size_t top = 0;            // The nodes with the most energy of their own; 0: none.
  std::optional<BreakdownBy> by;  // How the energy is broken down.
  bool all = false;               // Every layer by itself, also where layers are alike.
};
PredictionExtras extras_of(const ExtrasRequest& request, const Prediction& prediction);

struct PredictRequest {
  ModelRef model;
  PassShape pass;
  PredictorRef predictor;
  TreeView view;
  ExtrasRequest extras;
  TotalsRequest totals;
};
Result<PredictRequest> predict_request(const nlohmann::json& body);

struct PredictAnswer {
  Prediction prediction;
  TreeView view;
  PredictionExtras extras;  // With totals.
  std::vector<std::string> notes;
};
Result<PredictAnswer> predict(const PredictRequest& request, const Services& services);

// The contract of docs/schemas/predict.schema.json.
std::string to_json(const PredictAnswer& answer, int indent = 2);
std::string to_csv(const PredictAnswer& answer);

}  // namespace wattree
