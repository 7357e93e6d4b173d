#include "src/api/predict/explain.h"

#include "src/api/model/tree_text.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/predicted_model.h"
#include "src/api/predict/request_reader.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_node(JsonWriter& out, const Prediction& prediction, std::size_t index) {
  const Node& node = prediction.built.tree.nodes()[index];
  out.begin_object();
  out.field("scope", node.scope);
  if (node.run >= 0) out.field("run", std::int64_t{node.run});
  out.field("type", node.type);
  out.field("level", name_of(node.level));
  write_estimate(out, prediction, index);
  out.end_object();
}

void write_work(JsonWriter& out, const Explanation& explanation) {
  if (explanation.work) {
    const Work& work = *explanation.work;
    out.key("work");
    out.begin_object();
    out.field("kind", name_of(work.kind));
    out.field("groups", work.groups);
    out.field("m", work.m);
    out.field("n", work.n);
    out.field("k", work.k);
    out.field("width_bytes", work.width);
    out.field("weight_width_bytes", work.weight_width);
    out.field("bytes", work.bytes);
    out.end_object();
  }
  if (!explanation.terms.empty()) {
    out.field("priced_as", name_of(explanation.priced_as));
    out.field("stand_in", explanation.is_stand_in);
    out.field("far", explanation.is_far);
    out.field("samples", explanation.samples);
  }
}

void write_terms(JsonWriter& out, const Explanation& explanation) {
  out.key("terms");
  out.begin_array();
  for (const ExplainedTerm& term : explanation.terms) {
    out.begin_object();
    out.field("name", term.name);
    out.field("unit", term.unit);
    out.field("count", term.count);
    out.field("energy_each_j", term.energy_each.value);
    out.field("time_each_s", term.time_each.value);
    out.field("energy_j", term.energy().value);
    out.field("time_s", term.time().value);
    out.end_object();
  }
  out.end_array();
  if (explanation.twin) {
    out.key("looked_up");
    out.begin_object();
    out.field("energy_j", explanation.twin->energy.value);
    out.field("time_s", explanation.twin->time.value);
    out.field("samples", explanation.twin->samples);
    out.end_object();
  }
}

void write_waterfall(JsonWriter& out, const std::vector<WaterfallStep>& steps) {
  out.key("waterfall");
  out.begin_array();
  for (const WaterfallStep& step : steps) {
    out.begin_object();
    out.field("kind", name_of(step.kind));
    out.field("label", step.label);
    out.field("count", step.count);
    out.field("energy_j", step.energy.value);
    out.field("from_j", step.from.value);
    out.field("to_j", step.to().value);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

Result<ExplainRequest> explain_request(const nlohmann::json& body) {
  RequestReader reader(body);
  ExplainRequest request;
  request.model = reader.model();
  request.pass = reader.pass();
  request.predictor = reader.predictor();
  request.node = reader.fields().text("node");
  return reader.take(std::move(request));
}

Result<ExplainAnswer> explain(const ExplainRequest& request, const Services& services) {
  Result<PredictedModel> predicted =
      predict_model(request.model, request.pass, request.predictor, services);
  if (!predicted.ok()) return predicted.error();
  auto [prediction, notes] = std::move(predicted).value();
  const Result<std::size_t> node = find_node(prediction.built.tree, request.node);
  if (!node.ok()) return node.error();
  Explanation explanation = explain(prediction, node.value());
  return ExplainAnswer{std::move(prediction), std::move(explanation), std::move(notes)};
}

std::string to_json(const ExplainAnswer& answer, int indent) {
  const Prediction& prediction = answer.prediction;
  JsonWriter out(indent);
  out.begin_object();
  write_subject(out, prediction.built);
  write_pass(out, prediction.built);
  write_precision(out, prediction.built);
  write_predictor(out, prediction.by);
  out.key("node");
  write_node(out, prediction, answer.explanation.node);
  write_work(out, answer.explanation);
  write_terms(out, answer.explanation);
  write_waterfall(out, waterfall(prediction, answer.explanation));
  out.key("children");
  out.begin_array();
  for (const std::size_t child : answer.explanation.children) write_node(out, prediction, child);
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
