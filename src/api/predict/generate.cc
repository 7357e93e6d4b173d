#include "src/api/predict/generate.h"

#include "src/api/model/tree_text.h"
#include "src/api/predict/estimate_text.h"
#include "src/api/predict/request_reader.h"
#include "src/base/error_field.h"
#include "src/base/json_writer.h"

namespace wattree {

Result<GenerateRequest> generate_request(const nlohmann::json& body) {
  RequestReader reader(body);
  GenerateRequest request;
  request.model = reader.model();
  request.pass = reader.pass();
  if (request.pass.past) {
    reader.fields().complain("past", "is what \"generate\" counts by itself");
  }
  request.steps = reader.fields().whole("generate", 1, std::int64_t{1} << 32, true).value_or(1);
  request.predictor = reader.predictor();
  request.totals = reader.totals();
  return reader.take(std::move(request));
}

Result<GenerateAnswer> generate(const GenerateRequest& request, const Services& services,
                                const ShowProgress& progress) {
  if (is_script(request.model, services)) return script_has_one_size();
  const Result<TotalsOptions> options = totals_options(request.totals);
  if (!options.ok()) return options.error();
  const Result<LoadedPredictor> by = find_predictor(request.predictor, services);
  if (!by.ok()) return by.error();
  const Result<ModelText> text = find_config(request.model, services);
  if (!text.ok()) return text.error();
  Result<Generation> generated =
      generate(name_of(request.model), text.value(),
               {within_budget(request.pass, services), request.steps}, by.value(), progress);
  // A step's cache is as long as <generate> makes it.
  if (!generated.ok()) {
    return renamed_field("past", "generate", of_model(request.model, generated.error()));
  }
  Generation generation = std::move(generated).value();
  std::vector<std::string> notes =
      notes_of(text.value(), with_notes(generation.notes, generation.prefill));
  const double items = static_cast<double>(generation.prefill.built.pass.batch);
  Result<QueryTotals> totals = totals_of(generation.request() * (1 / items),
                                         by.value().provenance(), "one request", options.value());
  if (!totals.ok()) return totals.error();
  return GenerateAnswer{std::move(generation), std::move(totals).value(), std::move(notes)};
}

std::string to_json(const GenerateAnswer& answer, int indent) {
  const Generation& generation = answer.generation;
  const BuiltModel& built = generation.prefill.built;
  const bool has_times = generation.prefill.has_times();
  const std::int64_t items = built.pass.batch;
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
  write_subject(out, built);
  write_pass(out, built);
  out.field("generate", generation.steps);
  out.field("predicted_steps", generation.predicted_steps);
  write_precision(out, built);
  write_predictor(out, generation.prefill.by);
  out.key("memory");
  write_json(out, generation.memory);
  out.field("params", built.tree.root().params);
  write_phase("prefill", generation.prefill.root(), 1, tokens_per_item(built));
  write_phase("decode", generation.decode, generation.steps, generation.steps);
  write_phase("request", generation.request(), generation.steps + 1, generation.steps);
  write_step("first_step", generation.first);
  write_step("last_step", generation.last);
  if (!generation.better_class.empty()) out.field("without_vocabulary", generation.better_class);
  out.key("totals");
  write_json(out, answer.totals);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
