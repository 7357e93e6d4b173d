#include "src/api/model/predictors.h"

#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::string_view kRelativeLoss =
    "squared relative errors of energy and time over all measurements at once, with prices that "
    "are not negative";

void write_levels(JsonWriter& out, const char* name, double ml, double module, double model) {
  out.key(name);
  out.begin_object();
  out.field("ml", ml);
  out.field("module", module);
  out.field("model", model);
  out.end_object();
}

void write_fit(JsonWriter& out, const Predictor& predictor) {
  constexpr auto kUnseen = static_cast<std::size_t>(Known::kNothing);
  out.field("loss", kRelativeLoss);
  if (const auto& errors = predictor.errors[kUnseen]) {
    write_levels(out, "errors", errors->ml, errors->module, errors->model);
  }
  if (const auto& spread = predictor.spreads[kUnseen]) {
    write_levels(out, "intervals", spread->energy[0], spread->energy[1], spread->energy[2]);
  }
  out.field("models", predictor.models);
  out.field("trees", predictor.trees);
  out.field("measurements", predictor.measurements);
  out.key("kinds");
  out.begin_array();
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    const auto& kind = predictor.kinds[i];
    if (!kind) continue;
    out.begin_object();
    out.field("kind", name_of(static_cast<WorkKind>(i)));
    out.field("samples", kind->samples);
    out.end_object();
  }
  out.end_array();
}

void write_one(JsonWriter& out, const NamedPredictor& named) {
  const LoadedPredictor& loaded = named.loaded;
  const Predictor& predictor = *loaded.predictor;
  out.begin_object();
  out.field("name", named.name);
  out.field("hardware", predictor.hardware);
  out.field("origin", predictor.is_assumed ? "datasheet" : loaded.is_shipped ? "shipped" : "own");
  out.field("meter", predictor.meter);
  out.field("dtypes", predictor.dtypes);
  out.key("executions");
  out.begin_array();
  out.value(name_of(Execution::kGraph));
  if (predictor.eager) out.value(name_of(Execution::kEager));
  out.end_array();
  write_fit(out, predictor);
  if (predictor.idle_w > 0) out.field("idle_w", predictor.idle_w);
  if (loaded.device_bytes) out.field("device_bytes", *loaded.device_bytes);
  out.key("basis");
  write_json(out, loaded.provenance());
  out.end_object();
}

}  // namespace

PredictorsAnswer predictors(const Services& services) {
  return {named_predictors(services.predictors)};
}

std::string to_json(const PredictorsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("predictors");
  out.begin_array();
  for (const NamedPredictor& named : answer.named.predictors) write_one(out, named);
  out.end_array();
  out.field("problems", answer.named.problems);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
