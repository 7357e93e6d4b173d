#include "src/api/predict/sweep.h"

#include <algorithm>

#include "src/api/model/tree_text.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"

namespace wattree {

Result<SweepRequest> sweep_request(const nlohmann::json& body) {
  RequestReader reader(body);
  SweepRequest request;
  request.model = reader.model();
  request.pass = reader.pass(false);
  if (const auto batches = reader.sizes("batch"); !batches.empty()) request.batches = batches;
  if (const auto lengths = reader.sizes("seq"); !lengths.empty()) {
    request.lengths.assign(lengths.begin(), lengths.end());
  }
  request.predictor = reader.predictor();
  request.view = reader.view();
  request.extras = reader.extras();
  return reader.take(std::move(request));
}

Result<SweepAnswer> sweep(const SweepRequest& request, const Services& services,
                          const ShowProgress& progress) {
  if (is_script(request.model, services)) return script_has_one_size();
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  const Result<ModelText> text = find_config(request.model, services);
  if (!text.ok()) return text.error();
  Result<Sweep> swept =
      sweep(name_of(request.model), text.value(), within_budget(request.pass, services),
            request.batches, request.lengths, by.value(), progress);
  if (!swept.ok()) return of_model(request.model, swept.error());
  SweepAnswer answer{std::move(swept).value(), request.lengths.size(), request.view, {}, {}};
  answer.notes = notes_of(text.value(), answer.sweep.notes);
  if (answer.sweep.mean_tree) answer.extras = extras_of(request.extras, *answer.sweep.mean_tree);
  return answer;
}

namespace {

// Energy per item by batch and length: a row for every batch.
void write_heat_map(JsonWriter& out, const Sweep& sweep, std::size_t lengths) {
  const std::vector<SweepPoint>& points = sweep.points;
  const auto per_item = [](const SweepPoint& point) {
    return point.estimate.energy_per(static_cast<double>(point.pass.batch)).value;
  };
  out.key("heat_map");
  out.begin_object();
  out.key("batch_sizes");
  out.begin_array();
  for (std::size_t i = 0; i < points.size(); i += lengths) out.value(points[i].pass.batch);
  out.end_array();
  out.key("seq_lens");
  out.begin_array();
  for (std::size_t i = 0; i < lengths; ++i) out.value(points[i].pass.seq);
  out.end_array();
  out.key("energy_per_item_j");
  out.begin_array();
  for (std::size_t i = 0; i < points.size(); i += lengths) {
    out.begin_array();
    for (std::size_t j = i; j < i + lengths; ++j) out.value(per_item(points[j]));
    out.end_array();
  }
  out.end_array();
  const auto least = std::min_element(
      points.begin(), points.end(),
      [&](const SweepPoint& a, const SweepPoint& b) { return per_item(a) < per_item(b); });
  out.key("least");
  out.begin_object();
  out.field("batch_size", least->pass.batch);
  out.field("seq_len", least->pass.seq);
  out.field("energy_per_item_j", per_item(*least));
  out.end_object();
  out.end_object();
}

}  // namespace

std::string to_json(const SweepAnswer& answer, int indent) {
  const Sweep& sweep = answer.sweep;
  JsonWriter out(indent);
  out.begin_object();
  out.field("model", sweep.model);
  out.field("class", sweep.class_name);
  out.field("dtype", name_of(sweep.points.front().pass.precision));
  out.field("attention", name_of(sweep.points.front().pass.attention));
  write_predictor(out, sweep.by);
  out.key("sizes");
  out.begin_array();
  for (const SweepPoint& point : sweep.points) {
    out.begin_object();
    out.field("batch_size", point.pass.batch);
    out.field("seq_len", point.pass.seq);
    write_fields(out, point.estimate, sweep.has_times());
    write_per_unit(out, point.estimate, point.pass.batch, point.tokens);
    out.key("memory");
    write_json(out, point.memory);
    out.key("basis");
    write_json(out, sweep.by.provenance());
    out.end_object();
  }
  out.end_array();
  write_heat_map(out, sweep, answer.lengths);
  out.key("mean");
  out.begin_object();
  write_fields(out, sweep.mean, sweep.has_times());
  if (const auto power = sweep.mean.power()) out.field("power_w", power->value);
  out.field("energy_per_item_j", sweep.mean_per_item().value);
  if (const auto per_token = sweep.mean_per_token())
    out.field("energy_per_token_j", per_token->value);
  out.end_object();
  write_extras(out, answer.extras);
  if (sweep.mean_tree) {
    const Prediction& mean = *sweep.mean_tree;
    out.key("tree");
    write_tree(out, mean.built, answer.view, [&](const ShownNode& node) {
      out.field("params", mean.built.tree.nodes()[node.index].params * node.holders);
      write_estimate(out, mean, node.index, node.times);
    });
  }
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const SweepAnswer& answer) {
  const Sweep& sweep = answer.sweep;
  std::string out =
      "batch_size,seq_len,time_s,time_low_s,time_high_s,energy_j,energy_low_j,energy_high_j,"
      "energy_per_item_j,energy_per_token_j,peak_bytes,device_bytes,basis,by,boundary\n";
  const Provenance basis = sweep.by.provenance();
  for (const SweepPoint& point : sweep.points) {
    const PassEstimate& e = point.estimate;
    out += std::to_string(point.pass.batch) + ',' + std::to_string(point.pass.seq);
    append_numbers(out, {e.time.value, e.time_low().value, e.time_high().value}, sweep.has_times());
    const double items = static_cast<double>(point.pass.batch);
    append_numbers(out, {e.energy.value, e.energy_low().value, e.energy_high().value,
                         e.energy_per(items).value});
    append_numbers(out, {e.energy_per(items * static_cast<double>(point.tokens.value_or(1))).value},
                   point.tokens.has_value());
    out += ',' + std::to_string(point.memory.need.peak()) + ',';
    if (point.memory.device_bytes) out += std::to_string(*point.memory.device_bytes);
    append_basis(out, basis);
    out += '\n';
  }
  return out;
}

}  // namespace wattree
