#include "src/api/predict.h"
#include "src/api/tree_text.h"
#include "src/base/json_writer.h"

namespace wattree {

std::string to_json(const Prediction& prediction, const Explanation& explanation, int indent) {
  const auto nodes = prediction.built.tree.nodes();
  JsonWriter out(indent);
  const auto write_node = [&](std::size_t index) {
    const Node& node = nodes[index];
    out.field("scope", node.scope);
    if (node.run >= 0) out.field("run", std::int64_t{node.run});
    out.field("type", node.type);
    out.field("level", name_of(node.level));
    write_estimate(out, prediction, index);
  };
  out.begin_object();
  write_subject(out, prediction.built);
  write_pass(out, prediction.built);
  write_precision(out, prediction.built);
  write_predictor(out, prediction.by);
  out.key("node");
  out.begin_object();
  write_node(explanation.node);
  out.end_object();
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
  out.key("terms");
  out.begin_array();
  for (const ExplainedTerm& term : explanation.terms) {
    out.begin_object();
    out.field("name", term.name);
    out.field("unit", term.unit);
    out.field("count", term.count);
    out.field("energy_each_j", term.energy_each_j);
    out.field("time_each_s", term.time_each_s);
    out.field("energy_j", term.energy_j());
    out.field("time_s", term.time_s());
    out.end_object();
  }
  out.end_array();
  if (explanation.twin) {
    out.key("looked_up");
    out.begin_object();
    out.field("energy_j", explanation.twin->energy_j);
    out.field("time_s", explanation.twin->time_s);
    out.field("samples", explanation.twin->samples);
    out.end_object();
  }
  out.key("children");
  out.begin_array();
  for (const std::size_t child : explanation.children) {
    out.begin_object();
    write_node(child);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

std::string to_json(const Sweep& sweep, const TreeView& view, const PredictionExtras& extras,
                    int indent) {
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
    out.key("basis");
    write_json(out, sweep.by.provenance());
    out.end_object();
  }
  out.end_array();
  out.key("mean");
  out.begin_object();
  write_fields(out, sweep.mean, sweep.has_times());
  if (const auto power = sweep.mean.power()) out.field("power_w", power->value);
  out.field("energy_per_item_j", sweep.mean_per_item());
  if (const auto per_token = sweep.mean_per_token()) out.field("energy_per_token_j", *per_token);
  out.end_object();
  write_extras(out, extras);
  if (sweep.mean_tree) {
    const Prediction& mean = *sweep.mean_tree;
    out.key("tree");
    write_tree(out, mean.built, view, [&](std::size_t i) {
      out.field("params", mean.built.tree.nodes()[i].params);
      write_estimate(out, mean, i);
    });
  }
  out.end_object();
  return out.take() + "\n";
}

std::string to_csv(const Sweep& sweep) {
  std::string out =
      "batch_size,seq_len,time_s,time_low_s,time_high_s,energy_j,energy_low_j,energy_high_j,"
      "energy_per_item_j,energy_per_token_j,basis,by,boundary\n";
  const Provenance basis = sweep.by.provenance();
  for (const SweepPoint& point : sweep.points) {
    const PassEstimate& e = point.estimate;
    out += std::to_string(point.pass.batch) + ',' + std::to_string(point.pass.seq);
    append_numbers(out, {e.time_s, e.time_low_s(), e.time_high_s()}, sweep.has_times());
    const double items = static_cast<double>(point.pass.batch);
    append_numbers(out, {e.energy_j, e.energy_low_j(), e.energy_high_j(), e.energy_j / items});
    append_numbers(out, {e.energy_j / (items * static_cast<double>(point.tokens.value_or(1)))},
                   point.tokens.has_value());
    append_basis(out, basis);
    out += '\n';
  }
  return out;
}

std::string to_json(const Generation& generation, const QueryTotals& totals, int indent) {
  const BuiltModel& answer = generation.prefill.built;
  const bool has_times = generation.prefill.has_times();
  const std::int64_t items = answer.pass.batch;
  JsonWriter out(indent);
  const auto write_phase = [&](const char* name, const PassEstimate& estimate, std::int64_t passes,
                               std::optional<std::int64_t> tokens) {
    out.key(name);
    out.begin_object();
    out.field("passes", passes);
    write_fields(out, estimate, has_times);
    write_per_unit(out, estimate, items, tokens);
    out.key("basis");
    write_json(out, generation.prefill.by.provenance());
    out.end_object();
  };
  const auto write_step = [&](const char* name, const DecodeStep& step) {
    out.key(name);
    out.begin_object();
    out.field("past", step.past);
    write_fields(out, step.estimate, has_times);
    out.end_object();
  };
  out.begin_object();
  write_subject(out, answer);
  write_pass(out, answer);
  out.field("generate", generation.steps);
  out.field("predicted_steps", generation.predicted_steps);
  write_precision(out, answer);
  write_predictor(out, generation.prefill.by);
  out.field("params", answer.tree.root().params);
  write_phase("prefill", generation.prefill.root(), 1, tokens_per_item(answer));
  write_phase("decode", generation.decode, generation.steps, generation.steps);
  write_phase("request", generation.request(), generation.steps + 1, generation.steps);
  write_step("first_step", generation.first);
  write_step("last_step", generation.last);
  if (!generation.better_class.empty()) out.field("without_vocabulary", generation.better_class);
  out.key("totals");
  write_json(out, totals);
  out.end_object();
  return out.take() + "\n";
}

std::string to_json(const ModelComparison& comparison, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  write_predictor(out, comparison.models.front().prediction.by);
  out.key("models");
  out.begin_array();
  for (const ComparedModel& model : comparison.models) {
    const Prediction& prediction = model.prediction;
    const BuiltModel& answer = prediction.built;
    out.begin_object();
    write_subject(out, answer);
    write_pass(out, answer);
    write_precision(out, answer);
    write_counts(out, answer.tree.root());
    write_fields(out, prediction.root(), prediction.has_times());
    write_per_unit(out, prediction.root(), answer.pass.batch, tokens_per_item(answer));
    out.field("ratio", model.ratio);
    out.field("ratio_low", model.ratio_low);
    out.field("ratio_high", model.ratio_high);
    out.key("basis");
    write_json(out, prediction.by.provenance());
    out.end_object();
  }
  out.end_array();
  if (comparison.limit) {
    out.field("fail_above", *comparison.limit);
    out.field("above_limit", comparison.above_limit());
  }
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
