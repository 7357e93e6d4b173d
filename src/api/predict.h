// The predict use case: a tree and a predictor, and what every node takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/breakdown.h"
#include "src/api/pass_estimate.h"
#include "src/api/predictors.h"
#include "src/api/totals.h"
#include "src/api/tree.h"
#include "src/predict/tree_predict.h"

namespace wattree {

struct Prediction {
  TreeAnswer answer;
  std::vector<NodeEstimate> nodes;  // One for each of the tree's, in its order.
  LoadedPredictor by;

  PassEstimate root() const { return estimate_of(nodes.back()); }
  bool has_times() const { return nodes.back().time_s > 0; }  // Not every predictor knows them.
};

// Fails with kUnavailable where the predictor does not cover the precision or a kernel.
Result<Prediction> predict(TreeAnswer answer, const LoadedPredictor& by);

// Tokens of one item of a batch, source and target together; nothing where the source is no text.
std::optional<std::int64_t> tokens_per_item(const TreeAnswer& answer);

// What goes beside the tree.
struct PredictionExtras {
  std::vector<NodeGroup> top;
  std::optional<Breakdown> breakdown;
  std::optional<QueryTotals> totals;
};

// The contract of docs/schemas/predict.schema.json.
std::string to_json(const Prediction& prediction, const TreeView& view,
                    const PredictionExtras& extras, int indent = 2);
std::string to_csv(const Prediction& prediction, const TreeView& view);

// --- pieces of it that other use cases write, too ---
void write_predictor(JsonWriter& out, const LoadedPredictor& by);  // hardware, predictor
// power_w, energy_per_item_j and energy_per_token_j of a pass.
void write_per_unit(JsonWriter& out, const PassEstimate& pass, std::int64_t items,
                    std::optional<std::int64_t> tokens);
// time_s … basis: the fields of a node that are predicted.
void write_estimate(JsonWriter& out, const Prediction& prediction, std::size_t node);
void write_extras(JsonWriter& out, const PredictionExtras& extras);

}  // namespace wattree
