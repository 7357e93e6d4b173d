// How far prices of kernels are off on models that they were not fitted on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// Errors are 100 |predicted - measured| / measured.
struct KernelErrors {
  std::int64_t count = 0;
  double mean = 0;
  double weighted = 0;  // By energy.
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double bias = 0;  // Mean of the signed errors.
  double time_mean = 0;
  double time_p99 = 0;
  double coverage = 0;  // Percent of them inside a 90 % interval made from the other groups,
  double width = 0;     // and its half-width in percent of the prediction.
};
using NamedErrors = std::vector<std::pair<std::string, KernelErrors>>;

struct KernelEvaluation {
  std::optional<LeaveOut> left_out;  // Nothing: by a predictor that was there before.
  NamedErrors by_subject;            // Passes, decode steps, modules of 20 µs and more, kernels.
  NamedErrors by_group;              // Whole passes and decode steps by what was left out,
  NamedErrors by_dtype;
  // As by_dtype, predictions scaled by the ratio of the card's anchor to the predictor's; empty
  // where one of them is not known, or models were left out.
  NamedErrors over_anchor;
  NamedErrors by_time;
  NamedErrors by_kind;          // Of windows that say what kind of work they were measured for.
  double rank_correlation = 0;  // Spearman's, over whole passes.
  std::pair<double, double> mean_range;  // 90 % of bootstrap samples of models: error of passes.
  HeldOutSamples estimates;              // By sample; nothing: not held out.
};

// Every model (or family) left out once.
Result<KernelEvaluation> evaluate_kernels(const KernelData& data, LeaveOut what);

// What this predictor says of everything that was measured, with its own intervals; by model. On
// the card that was measured: how cards differ is in the errors, save those over the anchor.
KernelEvaluation check_predictor(const KernelData& data, const Predictor& predictor);

}  // namespace wattree
