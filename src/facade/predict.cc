#include "include/wattree/predict.h"

#include "src/facade/plain_error.h"
#include "src/facade/public_tree.h"
#include "src/predict/estimate/prediction.h"

namespace wattree {
namespace {

PredictedNode public_estimate(const Prediction& prediction, const NodeEstimate& node) {
  PredictedNode out;
  const PassEstimate estimate = estimate_of(node);
  out.energy = {estimate.energy, estimate.energy_low(), estimate.energy_high()};
  out.own_energy = node.own;
  if (prediction.has_times()) {
    out.time = {estimate.time, estimate.time_low(), estimate.time_high()};
  }
  const double whole = prediction.nodes.back().energy.value;
  out.share = whole > 0 ? node.energy.value / whole : 0;
  out.stand_in_share = static_cast<double>(node.stand_in);
  out.provenance = prediction.by.provenance();
  if (node.is_looked_up) out.provenance.by += ": the same kernel was measured";
  return out;
}

}  // namespace

EnergyPredictor::EnergyPredictor(LoadedPredictor loaded)
    : loaded_(std::make_shared<const LoadedPredictor>(std::move(loaded))) {}

Result<EnergyPredictor> EnergyPredictor::named(std::string_view name) {
  Result<LoadedPredictor> loaded = load_predictor({{}, std::string(name), {}});
  if (!loaded.ok()) return plain(loaded.error());
  return EnergyPredictor(std::move(loaded).value());
}

Result<EnergyPredictor> EnergyPredictor::from_file(const std::filesystem::path& file) {
  if (file.empty()) {
    return Error{ErrorCode::kInvalidInput, "the path of the predictor's file is empty", ""};
  }
  Result<LoadedPredictor> loaded = load_predictor({file, {}, {}});
  if (!loaded.ok()) return plain(loaded.error());
  return EnergyPredictor(std::move(loaded).value());
}

const std::string& EnergyPredictor::name() const { return loaded_->predictor->name; }
const std::string& EnergyPredictor::hardware() const { return loaded_->predictor->hardware; }

Result<PredictedTree> predict(const ModelConfig& model, const PassOptions& pass,
                              const EnergyPredictor& by, LaunchMode launch) {
  Result<BuiltModel> built = build_model(model.name, model.json, model.name, shape_of(pass));
  if (!built.ok()) return plain(built.error());
  LoadedPredictor loaded = *by.loaded_;
  loaded.execution = launch == LaunchMode::kEager ? Execution::kEager : Execution::kGraph;
  const Result<Prediction> predicted = predict(std::move(built).value(), loaded);
  if (!predicted.ok()) return plain(predicted.error());
  const Prediction& prediction = predicted.value();
  PredictedTree out;
  out.tree = public_tree(prediction.built);
  out.nodes.reserve(prediction.nodes.size());
  for (const NodeEstimate& node : prediction.nodes) {
    out.nodes.push_back(public_estimate(prediction, node));
  }
  const PassMemory& need = prediction.memory.need;
  out.memory = {need.weights,     need.inputs, need.cache,
                need.activations, need.peak(), prediction.memory.device_bytes};
  return out;
}

}  // namespace wattree
