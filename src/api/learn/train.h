// The train and annotate use cases: from measured trees to a predictor, and back into trees.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/learn/learn_request.h"
#include "src/api/services/services.h"
#include "src/predict/fit/any_predictor.h"

namespace wattree {

struct TrainRequest {
  std::string dataset;               // Trees, or windows.
  std::vector<std::string> further;  // Further windows of the same hardware.
  MethodRequest method;
  std::optional<std::int64_t> seed;  // Of IrEne's methods only.
  std::string name;                  // Of the predictor.
  // What is empty is as the data says, or else unknown, wall and fp32.
  std::string hardware, meter, boundary;
  std::vector<std::string> dtypes;
  ModelChoice models;
};
// From {"dataset", "further": […], "aggregate", "features", "seed", "name", "hardware", "meter",
// "boundary", "dtypes": […], "include": […], "exclude": […], "all_models", "skip_bad"}.
Result<TrainRequest> train_request(const nlohmann::json& json);

struct TrainAnswer {
  Aggregate aggregate = Aggregate::kReconciled;
  AnyPredictor predictor;
  std::vector<std::string> models_left_out;
  std::vector<std::string> warnings;
};
// The predictor's file (docs/schemas/predictor.schema.json).
std::string to_json(const TrainAnswer& answer);

// Fields that contradict each other, seen without a look at the data.
Status check(const TrainRequest& request);
Result<TrainAnswer> train(const TrainRequest& request, const Services& services);

struct AnnotateRequest {
  std::filesystem::path dataset, predictor, output;
  std::string known;  // Which readings to use: "node" (also empty), "nothing", "leaves", …
  bool no_twins = false;
  bool skip_bad = false;
};
Result<AnnotateRequest> annotate_request(const nlohmann::json& json);

struct AnnotateAnswer {
  std::int64_t trees = 0;
  std::int64_t nodes = 0;
  std::vector<std::string> warnings;
};
// Fills what the predictor says of every node: one tree at a time, so that the files may be larger
// than memory. The output is there whole or not at all.
Result<AnnotateAnswer> annotate(const AnnotateRequest& request, const Services& services);

}  // namespace wattree
