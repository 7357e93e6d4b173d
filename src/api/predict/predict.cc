#include "src/api/predict/predict.h"

#include "src/api/model/tree_text.h"
#include "src/api/predict/node_details.h"
#include "src/api/predict/predicted_model.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"

namespace wattree {

PredictionExtras extras_of(const ExtrasRequest& request, const Prediction& prediction) {
  PredictionExtras out;
  const ModelTree& tree = prediction.built.tree;
  out.roles = role_shares(tree, prediction.nodes);
  if (request.top > 0) out.top = top_nodes(tree, prediction.nodes, request.top, request.all);
  if (request.by) out.breakdown = break_down(tree, prediction.nodes, *request.by);
  return out;
}

Result<PredictRequest> predict_request(const nlohmann::json& body) {
  RequestReader reader(body);
  PredictRequest request;
  request.model = reader.model();
  request.pass = reader.pass();
  request.predictor = reader.predictor();
  request.view = reader.view();
  request.extras = reader.extras();
  request.totals = reader.totals();
  return reader.take(std::move(request));
}

Result<PredictAnswer> predict(const PredictRequest& request, const Services& services) {
  const Result<TotalsOptions> options = totals_options(request.totals);
  if (!options.ok()) return options.error();
  Result<PredictedModel> predicted =
      predict_model(request.model, request.pass, request.predictor, services);
  if (!predicted.ok()) return predicted.error();
  PredictedModel model = std::move(predicted).value();
  PredictAnswer answer{std::move(model.prediction), request.view, {}, std::move(model.notes)};
  const Prediction& prediction = answer.prediction;
  const Pass& pass = prediction.built.pass;
  Result<QueryTotals> totals = totals_of(
      prediction.root() * (1 / static_cast<double>(pass.batch)), prediction.by.provenance(),
      pass.past > 0 ? "one item's decode step" : "one item of a batch in one pass",
      options.value());
  if (!totals.ok()) return totals.error();
  answer.extras = extras_of(request.extras, prediction);
  answer.extras.totals = std::move(totals).value();
  return answer;
}

std::string to_json(const PredictAnswer& answer, int indent) {
  const Prediction& prediction = answer.prediction;
  const BuiltModel& built = prediction.built;
  JsonWriter out(indent);
  out.begin_object();
  write_subject(out, built);
  write_pass(out, built);
  write_precision(out, built);
  write_predictor(out, prediction.by);
  out.key("memory");
  write_json(out, prediction.memory);
  write_counts(out, built.tree.root());
  write_per_unit(out, prediction.root(), built.pass.batch, tokens_per_item(built));
  write_extras(out, answer.extras);
  std::optional<NodeDetails> details;
  if (answer.view.details) details.emplace(prediction);
  if (details) details->write_legend(out);
  out.key("tree");
  const std::vector<std::optional<Role>> roles = roles_of(built.tree);
  write_tree(out, built, answer.view, [&](const ShownNode& node) {
    write_shape_and_counts(out, built, node);
    if (roles[node.index]) out.field("role", name_of(*roles[node.index]));
    write_estimate(out, prediction, node.index, node.times);
    if (details) details->write(out, node);
  });
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const PredictAnswer& answer) {
  const Prediction& prediction = answer.prediction;
  return tree_csv(
      prediction.built, answer.view,
      ",time_s,time_low_s,time_high_s,energy_j,energy_low_j,energy_high_j,own_energy_j,share,"
      "stand_in_share,basis,by,boundary",
      [&](std::string& out, std::size_t i) {
        const NodeEstimate& node = prediction.nodes[i];
        const PassEstimate e = estimate_of(node);
        append_numbers(out, {e.time.value, e.time_low().value, e.time_high().value},
                       prediction.has_times());
        append_numbers(out,
                       {e.energy.value, e.energy_low().value, e.energy_high().value, node.own.value,
                        share_of(prediction, node), static_cast<double>(node.stand_in)});
        append_basis(out, provenance_of(prediction, node));
      });
}

}  // namespace wattree
