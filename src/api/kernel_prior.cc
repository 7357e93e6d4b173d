#include "src/api/kernel_prior.h"

#include <algorithm>
#include <vector>

#include "src/api/predictors.h"
#include "src/api/primitives.h"
#include "src/predict/tree_predict.h"
#include "src/regress/median.h"

namespace wattree {
namespace {

struct Ratio {
  double energy = 1;
  double time = 1;
};

// What was measured over what the predictor says; nothing where nothing was.
std::optional<Ratio> ratio_of(const KernelData& data, const Predictor& predictor, bool is_single) {
  std::vector<double> energy;
  std::vector<double> time;
  for (const KernelSample& sample : data.samples) {
    if (sample.is_single != is_single || sample.is_eager || !sample.is_as_in_a_pass()) continue;
    const SampleEstimate estimate = predict_sample(predictor, sample);
    if (estimate.energy_j <= 0 || estimate.time_s <= 0) continue;
    energy.push_back(sample.energy_j / estimate.energy_j);
    time.push_back(sample.time_s / estimate.time_s);
  }
  if (energy.empty()) return std::nullopt;
  return Ratio{median(std::move(energy)), median(std::move(time))};
}

}  // namespace

Failure add_prior(KernelData& data) {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  if (!shipped.ok()) return shipped.error();
  const Predictor& predictor = *shipped.value().predictor;
  for (const bool is_single : {false, true}) {
    const std::optional<Ratio> ratio = ratio_of(data, predictor, is_single);
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
      const SampleEstimate estimate = predict_sample(predictor, sample);
      if (estimate.energy_j <= 0 || estimate.time_s <= 0) continue;
      sample.energy_j = ratio->energy * estimate.energy_j;
      sample.time_s = ratio->time * estimate.time_s;
      data.samples.push_back(std::move(sample));
    }
  }
  return std::nullopt;
}

}  // namespace wattree
