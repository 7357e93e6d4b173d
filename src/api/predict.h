// Predictions as JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/tree.h"
#include "src/predict/estimate/breakdown.h"
#include "src/predict/estimate/compare_models.h"
#include "src/predict/estimate/explain.h"
#include "src/predict/estimate/generate.h"
#include "src/predict/estimate/sweep.h"
#include "src/predict/estimate/totals.h"

namespace wattree {

class JsonWriter;

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

// The fields time_s, time_low_s, time_high_s (where the predictor knows times) and energy_j,
// energy_low_j, energy_high_j.
void write_fields(JsonWriter& out, const PassEstimate& estimate, bool has_times);
void write_json(JsonWriter& out, const std::vector<NodeGroup>& groups);
void write_json(JsonWriter& out, const Breakdown& breakdown);
void write_json(JsonWriter& out, const QueryTotals& totals);

// The contract of docs/schemas/explain.schema.json.
std::string to_json(const Prediction& prediction, const Explanation& explanation, int indent = 2);

// As a prediction, with `sizes` and `mean` instead of batch_size and seq_len.
std::string to_json(const Sweep& sweep, const TreeView& view, const PredictionExtras& extras,
                    int indent = 2);
std::string to_csv(const Sweep& sweep);  // One row a size.

// The contract of docs/schemas/generate.schema.json.
std::string to_json(const Generation& generation, const QueryTotals& totals, int indent = 2);

// The contract of docs/schemas/compare.schema.json.
std::string to_json(const ModelComparison& comparison, int indent = 2);

}  // namespace wattree
