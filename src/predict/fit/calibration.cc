#include "src/predict/fit/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/predict/fit/kernel_prior.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/tree_predict.h"
#include "src/predict/regress/median.h"

namespace wattree {
namespace {

// Fewer say nothing of how far others are off.
constexpr std::size_t kLeastKernels = 10;

// The windows of single kernels, of each session the most telling first, as they would have been
// measured in less time.
void keep_kernels(std::vector<MeasuredSession>& sessions, const CalibrationSets& sets) {
  const auto order_of = [&](const MeasuredWindow& window) {
    for (const CalibrationKernels& each : sets) {
      if (const auto found = each.order.find(window.node.key); found != each.order.end()) {
        return found->second;
      }
    }
    return std::numeric_limits<std::size_t>::max();
  };
  for (MeasuredSession& session : sessions) {
    std::erase_if(session.windows, [&](const MeasuredWindow& window) {
      return window.node.subject != Subject::kOp || window.figures.cache != CacheState::kInPlace;
    });
    std::stable_sort(session.windows.begin(), session.windows.end(),
                     [&](const MeasuredWindow& a, const MeasuredWindow& b) {
                       return order_of(a) < order_of(b);
                     });
  }
}

bool is_about_others(const std::string& text) {
  const auto doubt = parse_doubt(text);
  return doubt == Doubt::kOthersOnGpu || doubt == Doubt::kOthersOnHost;
}

// Whoever goes on beside others wants what that gives, and to know how much of it there is.
void accept_others(std::vector<MeasuredSession>& sessions, std::vector<std::string>& warnings) {
  std::size_t count = 0;
  for (MeasuredSession& session : sessions) {
    for (MeasuredWindow& window : session.windows) {
      count += std::erase_if(window.figures.doubts, is_about_others) > 0;
    }
  }
  if (count > 0) {
    warnings.push_back(std::to_string(count) +
                       " windows were measured while others used the machine");
  }
}

bool is_of(const KernelSample& sample, const std::string& dtype) {
  return sample.dtype == dtype && sample.is_as_in_a_pass();
}

std::size_t count_of(const KernelData& data, const std::string& dtype) {
  return static_cast<std::size_t>(
      std::count_if(data.samples.begin(), data.samples.end(),
                    [&](const KernelSample& sample) { return is_of(sample, dtype); }));
}

// How far kernels are off that were left out, from the first of each precision: all are predicted,
// so that points of a curve are comparable.
Status add_learning(const KernelData& data, double share,
                    std::vector<CalibratedPrecision>& precisions) {
  Chosen known(data.samples.size(), false);
  for (std::size_t i = 0; i < data.samples.size(); ++i) known[i] = data.samples[i].is_assumed;
  for (const CalibratedPrecision& precision : precisions) {
    auto left = static_cast<std::size_t>(share * static_cast<double>(precision.kernels));
    for (std::size_t i = 0; i < data.samples.size() && left > 0; ++i) {
      if (!is_of(data.samples[i], precision.dtype)) continue;
      known[i] = true;
      --left;
    }
  }
  const auto held_out = hold_out(data, LeaveOut::kFamily, known);
  if (!held_out.ok()) return held_out.error();
  for (CalibratedPrecision& precision : precisions) {
    LearningPoint point{static_cast<std::size_t>(share * static_cast<double>(precision.kernels)), 0,
                        0};
    std::vector<double> energy;
    std::vector<double> time;
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      const KernelSample& sample = data.samples[i];
      const auto& estimate = held_out.value()[i];
      if (!is_of(sample, precision.dtype) || !estimate || estimate->energy <= Joules()) continue;
      energy.push_back(100 * std::abs(estimate->energy.value / sample.energy.value - 1));
      time.push_back(100 * std::abs(estimate->time.value / sample.time.value - 1));
    }
    if (point.kernels < kLeastKernels || energy.empty()) continue;
    // Of few kernels some are the only one of their kind, and off by any factor when left out: a
    // mean would be theirs.
    point.energy_percent = median(std::move(energy));
    point.time_percent = median(std::move(time));
    precision.learning.push_back(point);
  }
  return {};
}

std::optional<PassCheck> check_anchor(const Predictor& predictor, const AnchorPass& anchor) {
  const BuiltModel& model = anchor.pass;
  const std::string dtype(name_of(model.pass.precision));
  const auto& known = predictor.dtypes;
  if (std::find(known.begin(), known.end(), dtype) == known.end()) return std::nullopt;
  const auto estimates = predict_tree(predictor, TwinIndex(predictor), model.tree);
  if (!estimates.ok()) return std::nullopt;
  const NodeEstimate& whole = estimates.value().back();
  return PassCheck{model.model + ", " + dtype + ", " + std::to_string(model.pass.batch) + " × " +
                       std::to_string(model.pass.seq),
                   anchor.energy, whole.energy, anchor.time, whole.time};
}

// Models may be off by what the anchor is, beyond what kernels are known to leave out.
void widen_by(const PassCheck& anchor, Predictor& predictor) {
  const auto beyond = [](double predicted, double measured) {
    return std::max(0.0, std::abs(predicted / measured - 1) - kShortfall);
  };
  widen_for_wholes(predictor, beyond(anchor.predicted_energy.value, anchor.measured_energy.value),
                   beyond(anchor.predicted_time.value, anchor.measured_time.value));
}

void add_intervals(const Predictor& predictor, CalibratedPrecision& precision) {
  const Spread spread = predictor.spread_of_unknown(is_single_precision(precision.dtype));
  precision.kernel_percent = 100 * spread.energy[static_cast<std::size_t>(TreeLevel::kMl)];
  precision.model_percent = 100 * spread.energy[static_cast<std::size_t>(TreeLevel::kModel)];
}

// A precision of which there is too little is not claimed to be known.
void tell_precisions(const CalibrationSets& sets, KernelDataAnswer& input, Calibration& out) {
  for (const CalibrationKernels& each : sets) {
    const std::size_t kernels = count_of(input.data, each.dtype);
    if (kernels >= kLeastKernels) {
      out.precisions.push_back({each.dtype, kernels, each.order.size(), {}, 0, 0});
      continue;
    }
    std::erase_if(input.data.samples,
                  [&](const KernelSample& sample) { return sample.dtype == each.dtype; });
    std::erase(input.dtypes, each.dtype);
    out.warnings.push_back("only " + std::to_string(kernels) + " kernels of " + each.dtype +
                           " were measured, too few to fit to: more time, and <resume>");
  }
}

}  // namespace

Result<Calibration> fit_calibration(std::vector<MeasuredSession> sessions,
                                    const CalibrationSets& sets, const CalibrationOptions& options,
                                    const std::optional<AnchorPass>& anchor) {
  Calibration out;
  keep_kernels(sessions, sets);
  if (options.accepts_others) accept_others(sessions, out.warnings);
  Result<KernelDataAnswer> read = kernel_data_of(sessions);
  if (!read.ok()) return read.error();
  KernelDataAnswer input = std::move(read).value();
  tell_precisions(sets, input, out);
  if (out.precisions.empty()) {
    return Error{ErrorCode::kUnavailable,
                 "only " + std::to_string(input.data.samples.size()) +
                     " kernels were measured: too few to fit a predictor",
                 "give it more time: <budget>, and go on with <resume>", "budget"};
  }
  if (!options.hardware.empty()) input.data.hardware = options.hardware;
  deal_into_families(input.data);
  if (const Status failure = add_prior(input.data); !failure.ok()) return failure.error();
  for (const double share : {0.25, 0.5, 1.0}) {
    if (const Status failure = add_learning(input.data, share, out.precisions); !failure.ok())
      return failure.error();
  }
  Result<Predictor> trained = train_on_kernels(std::move(input), options.name);
  if (!trained.ok()) return trained.error();
  out.predictor = std::move(trained).value();
  out.shortfall = kShortfall;
  if (anchor) out.anchor = check_anchor(out.predictor, *anchor);
  if (out.anchor) widen_by(*out.anchor, out.predictor);
  for (CalibratedPrecision& precision : out.precisions) add_intervals(out.predictor, precision);
  return out;
}

}  // namespace wattree
