// The pieces that JSON of predictions is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/predict/estimate/breakdown.h"
#include "src/predict/estimate/prediction.h"
#include "src/predict/estimate/roles.h"
#include "src/predict/estimate/totals.h"

namespace wattree {

class JsonWriter;

// What goes beside the tree.
struct PredictionExtras {
  std::vector<RoleShare> roles;
  std::vector<NodeGroup> top;
  std::optional<Breakdown> breakdown;
  std::optional<QueryTotals> totals;
};

void write_predictor(JsonWriter& out, const LoadedPredictor& by);  // hardware, predictor
// power_w, energy_per_item_j and energy_per_token_j of a pass.
void write_per_unit(JsonWriter& out, const PassEstimate& pass, std::int64_t items,
                    std::optional<std::int64_t> tokens);
// roles and headline: where the energy goes.
void write_roles(JsonWriter& out, const std::vector<RoleShare>& roles);
// time_s … basis: the fields of a node that are predicted, or the sums over so many like it.
void write_estimate(JsonWriter& out, const Prediction& prediction, std::size_t node,
                    std::int64_t times = 1);
void write_extras(JsonWriter& out, const PredictionExtras& extras);

// The fields time_s, time_low_s, time_high_s (where the predictor knows times) and energy_j,
// energy_low_j, energy_high_j.
void write_fields(JsonWriter& out, const PassEstimate& estimate, bool has_times);
void write_json(JsonWriter& out, const MemoryFit& memory);
void write_json(JsonWriter& out, const std::vector<NodeGroup>& groups);
void write_json(JsonWriter& out, const Breakdown& breakdown);
void write_json(JsonWriter& out, const QueryTotals& totals);

// A node's energy over the whole's.
double share_of(const Prediction& prediction, const NodeEstimate& node);
// Of one node: a kernel that was measured itself is looked up, not computed.
Provenance provenance_of(const Prediction& prediction, const NodeEstimate& node);

}  // namespace wattree
