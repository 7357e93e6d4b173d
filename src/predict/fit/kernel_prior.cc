#include "src/predict/fit/kernel_prior.h"

#include <algorithm>
#include <vector>

#include "src/predict/fit/primitives.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/predict/predictor/tree_predict.h"
#include "src/predict/regress/median.h"

namespace wattree {
namespace {

struct Ratio {
  double energy = 1;
  double time = 1;
};

// What was measured over what the predictor says; nothing where nothing was.
template <class IsWanted>
std::optional<Ratio> ratio_of(const KernelData& data, const Predictor& predictor,
                              const IsWanted& is_wanted) {
  std::vector<double> energy;
  std::vector<double> time;
  for (const KernelSample& sample : data.samples) {
    if (sample.is_assumed || sample.is_eager || !sample.is_as_in_a_pass() || !is_wanted(sample)) {
      continue;
    }
    const SampleEstimate estimate = predict_sample(predictor, sample);
    if (estimate.energy <= Joules() || estimate.time <= Seconds()) continue;
    energy.push_back(sample.energy / estimate.energy);
    time.push_back(sample.time / estimate.time);
  }
  if (energy.empty()) return std::nullopt;
  return Ratio{median(std::move(energy)), median(std::move(time))};
}

Result<Predictor> shipped_predictor() {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  if (!shipped.ok()) return shipped.error();
  Predictor out = *shipped.value().predictor;
  out.power_cap.reset();  // Prices are of work that no limit holds back.
  return out;
}

}  // namespace

Status add_prior(KernelData& data) {
  const Result<Predictor> shipped = shipped_predictor();
  if (!shipped.ok()) return shipped.error();
  for (const bool is_single : {false, true}) {
    const std::optional<Ratio> ratio =
        ratio_of(data, shipped.value(),
                 [&](const KernelSample& sample) { return sample.is_single == is_single; });
    if (!ratio) continue;
    const Result<ModelTree> tree =
        primitive_tree(is_single ? Precision::kFp32 : Precision::kBf16, {});
    if (!tree.ok()) return tree.error();
    for (const Node& node : tree.value().nodes()) {
      if (node.op == Op::kNone) continue;
      KernelSample sample;
      sample.kernels.push_back({work_of(tree.value(), node), 1});
      sample.is_single = is_single;
      sample.is_assumed = true;
      const SampleEstimate estimate = predict_sample(shipped.value(), sample);
      if (estimate.energy <= Joules() || estimate.time <= Seconds()) continue;
      sample.energy = estimate.energy * ratio->energy;
      sample.time = estimate.time * ratio->time;
      data.samples.push_back(std::move(sample));
    }
  }
  return {};
}

Status assume_sequence(const KernelData& data, Predictor& predictor) {
  const Result<Predictor> shipped = shipped_predictor();
  if (!shipped.ok()) return shipped.error();
  const std::optional<Ratio> ratio =
      ratio_of(data, shipped.value(), [](const KernelSample&) { return true; });
  if (!ratio) return {};
  for (const WorkKind kind : {WorkKind::kFollow, WorkKind::kFetch}) {
    const auto at = static_cast<std::size_t>(kind);
    predictor.kinds[at] = shipped.value().kinds[at];
    if (!predictor.kinds[at]) continue;
    predictor.kinds[at]->samples = 0;
    predictor.kinds[at]->energy[0] *= ratio->energy;
    predictor.kinds[at]->time[0] *= ratio->time;
  }
  return {};
}

}  // namespace wattree
