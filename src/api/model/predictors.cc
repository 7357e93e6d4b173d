#include "src/api/model/predictors.h"

#include <algorithm>

#include "src/base/json_writer.h"
#include "src/predict/predictor/datasheet.h"

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

void write_executions(JsonWriter& out, const Predictor& predictor) {
  out.key("executions");
  out.begin_array();
  out.value(name_of(Execution::kGraph));
  if (predictor.eager) out.value(name_of(Execution::kEager));
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
  write_executions(out, predictor);
  write_fit(out, predictor);
  if (predictor.idle_w > 0) out.field("idle_w", predictor.idle_w);
  if (loaded.device_bytes) out.field("device_bytes", *loaded.device_bytes);
  out.key("basis");
  write_json(out, loaded.provenance());
  out.end_object();
}

void write_measured(JsonWriter& out, const NamedPredictor& named) {
  const LoadedPredictor& loaded = named.loaded;
  const Predictor& predictor = *loaded.predictor;
  constexpr auto kUnseen = static_cast<std::size_t>(Known::kNothing);
  out.begin_object();
  out.field("on", named.name);
  out.field("hardware", predictor.hardware);
  out.field("known_by", predictor.is_assumed ? "datasheet" : "measured");
  if (loaded.device_bytes) out.field("device_bytes", *loaded.device_bytes);
  out.field("dtypes", predictor.dtypes);
  write_executions(out, predictor);
  if (const auto& errors = predictor.errors[kUnseen]) out.field("error_percent", errors->model);
  if (const auto& spread = predictor.spreads[kUnseen]) {
    out.field("interval", spread->energy[2]);
  }
  out.end_object();
}

// What is assumed for a device has the precisions of what it is scaled from.
void write_assumed(JsonWriter& out, const Device& device, const Predictor& scaled) {
  out.begin_object();
  out.field("on", device.name);
  out.field("hardware", device.name);
  out.field("aliases", device.aliases);
  if (!device.vendor.empty()) out.field("vendor", device.vendor);
  out.field("known_by", "datasheet");
  if (const auto bytes = memory_bytes(device.name, bundled_devices())) {
    out.field("device_bytes", *bytes);
  }
  out.field("dtypes", scaled.dtypes);
  write_executions(out, scaled);
  out.field("interval", kAssumedHalfWidth);
  out.end_object();
}

// Everything that a prediction may be asked for, the measured ones first.
void write_hardware(JsonWriter& out, const PredictorsAnswer& answer) {
  out.key("hardware");
  out.begin_array();
  for (const NamedPredictor& named : answer.named.predictors) write_measured(out, named);
  const auto scaled =
      std::find_if(answer.named.predictors.begin(), answer.named.predictors.end(),
                   [](const NamedPredictor& named) { return named.name == kDefaultPredictor; });
  if (scaled != answer.named.predictors.end()) {
    for (const Device& device : answer.by_datasheet) {
      write_assumed(out, device, *scaled->loaded.predictor);
    }
  }
  out.end_array();
}

}  // namespace

PredictorsAnswer predictors(const Services& services) {
  return {named_predictors(services.predictors), devices_with_datasheets()};
}

std::string to_json(const PredictorsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("predictors");
  out.begin_array();
  for (const NamedPredictor& named : answer.named.predictors) write_one(out, named);
  out.end_array();
  write_hardware(out, answer);
  out.field("problems", answer.named.problems);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
