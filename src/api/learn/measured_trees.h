// Measured trees that somebody brings: each node's measured energy beside the predicted one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/model/model_source.h"
#include "src/measure/dataset/dataset.h"

namespace wattree {

struct MeasuredTreesRequest {
  PredictorRef predictor;
  std::string_view text;  // A dataset: JSON Lines, an array of trees, or one tree.
};
// The predictor's fields; the dataset itself comes beside them.
Result<MeasuredTreesRequest> measured_trees_request(const nlohmann::json& fields,
                                                    std::string_view text);

struct MeasuredTree {
  DatasetTree tree;  // With predictions where there are any.
  // How they were made: from the model's config, or from the counts that the dataset has.
  bool is_from_config = false;
  std::string why_not;  // Where no node could be predicted.
};
// Mean of the absolute errors, relative to what was measured.
struct MeanErrors {
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t inside = 0;  // Of the 90 % interval.
};
struct MeasuredTreesAnswer {
  LoadedPredictor by;
  std::vector<MeasuredTree> trees;
  MeanErrors ml, module, model;  // By level.
};
// A bad line is an error that names it.
Result<MeasuredTreesAnswer> measured_trees(const MeasuredTreesRequest& request,
                                           const Services& services);

// The contract of docs/schemas/measured_trees.schema.json.
std::string to_json(const MeasuredTreesAnswer& answer, int indent = 2);

}  // namespace wattree
