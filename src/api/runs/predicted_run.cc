#include "src/api/runs/predicted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/api/predict/predicted_model.h"
#include "src/base/amounts.h"
#include "src/base/json_fields.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;
constexpr double kMostPasses = 1e15;
constexpr double kMostFactor = 1000;
constexpr const char* kFields[] = {"other_batch", "other_seq",    "other_dtype",
                                   "other_on",    "other_passes", "other_factor"};

// What goes wrong is in the request's words: "batch" is "other_batch" there.
Error of_other(Error error) {
  if (!error.field.empty()) error.field = "other_" + error.field;
  return error;
}

HardwareEntry hardware_of(const std::string& name) {
  const Result<Device> device = find_device(name, bundled_devices());
  return {device.ok() ? device.value().kind : DeviceKind::kGpu, name, 1};
}

Provenance provenance_of(const LoadedPredictor& by, std::optional<double> factor) {
  Provenance out = by.provenance();
  if (!factor) return out;
  out.basis = Basis::kAssumed;
  out.by = fmt::format("{} forward passes for a step; {}", four_digits(*factor), out.by);
  return out;
}

// Each like the other, one after the other from where the baseline began.
std::vector<Epoch> even_epochs(std::size_t count, const PassEstimate& each, bool has_times,
                               const Provenance& provenance, const Profile& baseline) {
  Epoch epoch;
  const bool is_card = provenance.boundary == Boundary::kGpu;
  epoch.energy.push_back({is_card ? "gpu" : "machine",
                          is_card ? ComponentKind::kGpu : ComponentKind::kMachine, each.energy,
                          std::nullopt, each.energy_half, provenance});
  if (has_times) epoch.duration = each.time;
  std::vector<Epoch> out(count, epoch);
  if (!has_times || baseline.epochs.empty() || !baseline.epochs.front().start) return out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::chrono::duration<double> since(each.time.value * static_cast<double>(i));
    out[i].start = *baseline.epochs.front().start +
                   std::chrono::duration_cast<std::chrono::microseconds>(since);
  }
  return out;
}

}  // namespace

std::optional<PredictedRunRequest> read_predicted_run(JsonFields& fields) {
  PredictedRunRequest out;
  out.model.name = fields.text("other_model");
  out.pass.batch = fields.whole("other_batch", 1, kMostTokens).value_or(out.pass.batch);
  out.pass.seq = fields.whole("other_seq", 1, kMostTokens);
  out.pass.dtype = fields.text("other_dtype");
  out.predictor.on = fields.text("other_on");
  out.passes = fields.number("other_passes", 1, kMostPasses);
  out.factor = fields.number("other_factor", 1, kMostFactor);
  if (!out.model.name.empty()) return out;
  if (std::any_of(std::begin(kFields), std::end(kFields),
                  [&](const char* name) { return fields.has(name); })) {
    fields.complain("other_model", "is missing");
  }
  return std::nullopt;
}

Result<OtherRun> predicted_run(const PredictedRunRequest& request, const Profile& baseline,
                               std::optional<std::size_t> epochs, const Services& services) {
  const Result<PredictedModel> predicted =
      predict_model(request.model, request.pass, request.predictor, services);
  if (!predicted.ok()) return of_other(predicted.error());
  const Prediction& prediction = predicted.value().prediction;
  const std::size_t recorded = std::max<std::size_t>(baseline.epochs.size(), 1);
  const double planned = std::max(static_cast<double>(baseline.planned_epochs.value_or(0)),
                                  static_cast<double>(recorded));
  const double passes = request.passes.value_or(planned);
  const PassEstimate pass = prediction.root();
  const PassEstimate each = pass * (passes / planned * request.factor.value_or(1));

  OtherRun out;
  out.is_where_baseline_is = true;
  out.spread = pass.energy_spread();
  out.profile.name = four_digits(passes) + " × " + name_of(request.model);
  if (const std::string& hardware = prediction.by.predictor->hardware; !hardware.empty()) {
    out.profile.hardware = {hardware_of(hardware)};
  }
  out.profile.epochs =
      even_epochs(std::max(recorded, epochs.value_or(0)), each, prediction.has_times(),
                  provenance_of(prediction.by, request.factor), baseline);
  out.notes.push_back(fmt::format(
      "the alternative is predicted: {} forward passes of {} items at {} each, spread over {} "
      "epochs; its interval is the predictor's, 90 %",
      four_digits(passes), prediction.built.pass.batch, to_text(pass.energy),
      four_digits(planned)));
  if (request.factor) {
    out.notes.push_back(fmt::format("a training step is assumed to take {} forward passes",
                                    four_digits(*request.factor)));
  }
  for (const std::string& note : predicted.value().notes) {
    out.notes.push_back(name_of(request.model) + ": " + note);
  }
  return out;
}

}  // namespace wattree
