#include "src/api/kernel_prior.h"

#include <algorithm>
#include <vector>

#include "src/api/predictors.h"
#include "src/api/primitives.h"
#include "src/api/reference_passes.h"
#include "src/kernels/kernel_data.h"
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

// Stands in as the ratio says.
class StandIns {
 public:
  StandIns(const Predictor& predictor, const Ratio& ratio, bool is_single, KernelData& data)
      : predictor_(predictor), ratio_(ratio), is_single_(is_single), data_(data) {}

  void add(KernelSample sample) {
    sample.is_single = is_single_;
    sample.is_assumed = true;
    const SampleEstimate estimate = predict_sample(predictor_, sample);
    if (estimate.energy_j <= 0 || estimate.time_s <= 0) return;
    sample.energy_j = ratio_.energy * estimate.energy_j;
    sample.time_s = ratio_.time * estimate.time_s;
    data_.samples.push_back(std::move(sample));
  }

 private:
  const Predictor& predictor_;
  Ratio ratio_;
  bool is_single_;
  KernelData& data_;
};

Failure add_kernels(Precision precision, StandIns& stand_ins) {
  const Result<ModelTree> tree = primitive_tree(precision, {});
  if (!tree.ok()) return tree.error();
  for (const Node& node : tree.value().nodes()) {
    if (node.op == Op::kNone) continue;
    KernelSample sample;
    sample.kernels.push_back({work_of(tree.value(), node), 1});
    stand_ins.add(std::move(sample));
  }
  return std::nullopt;
}

Failure add_passes(Precision precision, StandIns& stand_ins) {
  for (const ReferencePass& pass : kReferencePasses) {
    const Result<ModelTree> tree = reference_tree(pass, std::string(name_of(precision)));
    if (!tree.ok()) return tree.error();
    stand_ins.add(sample_of_pass(tree.value()));
  }
  return std::nullopt;
}

}  // namespace

Failure add_prior(KernelData& data) {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  if (!shipped.ok()) return shipped.error();
  Predictor predictor = *shipped.value().predictor;
  predictor.power_cap.reset();  // Prices are of work that no limit holds back.
  for (const bool is_single : {false, true}) {
    const std::optional<Ratio> ratio = ratio_of(data, predictor, is_single);
    if (!ratio) continue;
    StandIns stand_ins(predictor, *ratio, is_single, data);
    const Precision precision = is_single ? Precision::kFp32 : Precision::kBf16;
    if (Failure failure = add_kernels(precision, stand_ins)) return failure;
    if (Failure failure = add_passes(precision, stand_ins)) return failure;
  }
  return std::nullopt;
}

}  // namespace wattree
