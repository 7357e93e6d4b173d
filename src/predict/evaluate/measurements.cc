#include "src/predict/evaluate/measurements.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/predict/regress/median.h"

namespace wattree {
namespace {

constexpr double kWellCovered = 0.9;

// Kernels measured in place, looked up by what they do.
class MeasuredKernels {
 public:
  explicit MeasuredKernels(const KernelData& data) {
    for (const KernelSample& sample : data.samples) {
      if (sample.subject == KernelSample::Subject::kKernel && sample.is_as_in_a_pass()) {
        samples_.push_back(&sample);
      }
    }
  }
  const KernelSample* find(const Work& work) const {
    for (const KernelSample* sample : samples_) {
      if (sample->kernels.front().work == work) return sample;
    }
    return nullptr;
  }

 private:
  std::vector<const KernelSample*> samples_;
};

std::vector<Additivity> additivity_of(const KernelData& data, const Predictor& all) {
  const MeasuredKernels measured(data);
  std::vector<Additivity> out;
  for (const KernelSample& pass : data.samples) {
    if (pass.subject != KernelSample::Subject::kPass || pass.is_eager || pass.is_capped) continue;
    double sum_j = 0;
    double sum_s = 0;
    double covered_j = 0;
    double predicted_j = 0;
    for (const auto& [work, count] : pass.kernels) {
      const Price price = price_of(all, work);
      predicted_j += count * price.energy.value;
      const KernelSample* alone = measured.find(work);
      if (alone != nullptr) covered_j += count * price.energy.value;
      sum_j += count * (alone != nullptr ? alone->energy.value : price.energy.value);
      sum_s += count * (alone != nullptr ? alone->time.value : price.time.value);
    }
    if (covered_j < kWellCovered * predicted_j) continue;
    out.push_back(
        {pass.name, covered_j / predicted_j, sum_j / pass.energy.value, sum_s / pass.time.value});
  }
  return out;
}

void add_repeats(const KernelData& data, MeasurementChecks& out) {
  std::map<std::string, const KernelSample*> first;
  std::vector<double> apart;
  for (const KernelSample& sample : data.samples) {
    if (sample.subject != KernelSample::Subject::kPass || sample.is_eager) continue;
    const auto [it, is_new] = first.emplace(sample.name, &sample);
    if (!is_new) apart.push_back(100 * std::abs(sample.energy / it->second->energy - 1));
  }
  out.repeats = std::ssize(apart);
  out.repeat_median = median(apart);
  if (!apart.empty()) out.repeat_most = *std::max_element(apart.begin(), apart.end());
}

}  // namespace

Result<MeasurementChecks> check_measurements(const KernelData& data) {
  const Result<Predictor> all = fit_kernels(data, Chosen(data.samples.size(), true));
  if (!all.ok()) return all.error();
  MeasurementChecks out;
  out.additivity = additivity_of(data, all.value());
  add_repeats(data, out);
  return out;
}

}  // namespace wattree
