#include "src/api/predict/estimate_text.h"

#include "src/base/json_writer.h"

namespace wattree {

double share_of(const Prediction& prediction, const NodeEstimate& node) {
  const double whole = prediction.nodes.back().energy.value;
  return whole > 0 ? node.energy.value / whole : 0;
}

Provenance provenance_of(const Prediction& prediction, const NodeEstimate& node) {
  Provenance out = prediction.by.provenance();
  if (node.is_looked_up) out.by += ": the same kernel was measured";
  return out;
}

void write_fields(JsonWriter& out, const PassEstimate& estimate, bool has_times) {
  if (has_times) {
    out.field("time_s", estimate.time.value);
    out.field("time_low_s", estimate.time_low().value);
    out.field("time_high_s", estimate.time_high().value);
  }
  out.field("energy_j", estimate.energy.value);
  out.field("energy_low_j", estimate.energy_low().value);
  out.field("energy_high_j", estimate.energy_high().value);
}

void write_predictor(JsonWriter& out, const LoadedPredictor& by) {
  if (by.predictor->is_by_kernel) out.field("execution", name_of(by.execution));
  out.field("hardware", by.predictor->hardware);
  out.field("predictor", by.predictor->name);
}

void write_per_unit(JsonWriter& out, const PassEstimate& pass, std::int64_t items,
                    std::optional<std::int64_t> tokens) {
  if (const auto power = pass.power()) out.field("power_w", power->value);
  out.field("energy_per_item_j", pass.energy_per(static_cast<double>(items)).value);
  if (tokens) {
    out.field("energy_per_token_j",
              pass.energy_per(static_cast<double>(items) * static_cast<double>(*tokens)).value);
  }
}

void write_estimate(JsonWriter& out, const Prediction& prediction, std::size_t index,
                    std::int64_t times) {
  const NodeEstimate& node = prediction.nodes[index];
  const double n = static_cast<double>(times);
  write_fields(out, estimate_of(node) * n, prediction.has_times());
  out.field("own_energy_j", node.own.value * n);
  if (const double idle_w = prediction.by.predictor->idle_w; idle_w > 0) {
    out.field("idle_j", idle_w * node.time.value * n);
  }
  out.field("share", share_of(prediction, node) * n);
  if (node.stand_in > 0) out.field("stand_in_share", static_cast<double>(node.stand_in));
  out.key("basis");
  write_json(out, provenance_of(prediction, node));
}

void write_roles(JsonWriter& out, const std::vector<RoleShare>& roles) {
  out.field("headline", where_energy_goes(roles));
  out.key("roles");
  out.begin_array();
  for (const RoleShare& share : roles) {
    out.begin_object();
    out.field("role", name_of(share.role));
    out.field("energy_j", share.energy.value);
    out.field("share", share.share);
    out.end_object();
  }
  out.end_array();
}

void write_extras(JsonWriter& out, const PredictionExtras& extras) {
  if (!extras.roles.empty()) write_roles(out, extras.roles);
  if (!extras.top.empty()) {
    out.key("top");
    write_json(out, extras.top);
  }
  if (extras.breakdown) {
    out.key("breakdown");
    write_json(out, *extras.breakdown);
  }
  if (extras.totals) {
    out.key("totals");
    write_json(out, *extras.totals);
  }
}

void write_json(JsonWriter& out, const MemoryFit& memory) {
  out.begin_object();
  out.field("weights_bytes", memory.need.weights);
  out.field("inputs_bytes", memory.need.inputs);
  out.field("cache_bytes", memory.need.cache);
  out.field("activations_bytes", memory.need.activations);
  out.field("peak_bytes", memory.need.peak());
  if (memory.device_bytes) {
    out.field("device_bytes", *memory.device_bytes);
    out.field("fits", memory.fits());
  }
  out.end_object();
}

void write_json(JsonWriter& out, const std::vector<NodeGroup>& groups) {
  out.begin_array();
  for (const NodeGroup& group : groups) {
    out.begin_object();
    out.field(group.type.empty() ? "name" : "scope", group.name);
    if (!group.type.empty()) out.field("type", group.type);
    out.field("count", group.count);
    out.field("time_s", group.time.value);
    out.field("energy_j", group.energy.value);
    out.field("share", group.share);
    if (group.is_rest) out.field("rest", true);
    out.end_object();
  }
  out.end_array();
}

void write_json(JsonWriter& out, const Breakdown& breakdown) {
  out.begin_object();
  out.field("by", name_of(breakdown.by));
  out.key("groups");
  write_json(out, breakdown.groups);
  out.end_object();
}

void write_json(JsonWriter& out, const QueryTotals& totals) {
  const TotalsOptions& options = totals.options;
  out.begin_object();
  out.field("queries", options.queries);
  out.field("query", totals.query);
  out.field("passes_per_query", options.passes_per_query);
  out.field("energy_per_query_j", totals.per_query.energy.value);
  out.field("price_usd_per_kwh", options.usd_per_kwh);
  out.field("price_by", options.price_by);
  if (options.pue) out.field("pue", options.pue->value);
  if (options.grid) out.field("region", options.grid->region);
  out.field("host_left_out", totals.is_host_left_out);
  out.key("rows");
  out.begin_array();
  for (const TotalsRow& row : totals.rows) {
    out.begin_object();
    out.field("part", row.part);
    out.field("energy_kwh", row.energy_kwh);
    out.field("cost_usd", row.cost_usd);
    if (row.carbon_gco2e) out.field("carbon_gco2e", *row.carbon_gco2e);
    out.key("basis");
    write_json(out, row.provenance);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}  // namespace wattree
