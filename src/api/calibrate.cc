#include "src/api/calibrate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

#include "src/api/measure_session.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/predict/fit/kernel_prior.h"
#include "src/predict/fit/primitives.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/predictor_file.h"
#include "src/predict/predictor/tree_predict.h"
#include "src/predict/regress/median.h"

namespace wattree {
namespace {

// Fewer say nothing of how far others are off.
constexpr std::size_t kLeastKernels = 10;
// A processor does some hundred GFLOP a second: what is larger takes too long.
constexpr PrimitiveLimits kProcessorLimits{4e9, 2.5e8};

Error bad(std::string message, std::string hint) {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint)};
}

// Prices are of 16 and of 32 bits: two precisions of the same width would be one muddle.
Status check_widths(const std::vector<std::string>& dtypes, const std::string& hint) {
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (is_single_precision(dtypes[i]) != is_single_precision(dtypes[j])) continue;
      return bad("a predictor can not know both " + dtypes[j] + " and " + dtypes[i] +
                     ": they share prices",
                 hint);
    }
  }
  return {};
}

Result<std::vector<std::string>> parse_dtypes(const std::string& list, bool is_cpu) {
  std::vector<std::string> out;
  for (const std::string& name : split(!list.empty() ? list : is_cpu ? "fp32" : "bf16,fp32", ',')) {
    const auto known = {"fp32", "tf32", "bf16", "fp16"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return bad("dtype \"" + name + "\" is not known",
                 "choose with --dtype: fp32, tf32, bf16 or fp16, or two of them: bf16,fp32");
    }
    out.push_back(name);
  }
  if (const Status failure = check_widths(out, "calibrate twice, into two files"); !failure.ok())
    return failure.error();
  return out;
}

// The kernels of one precision that could be measured.
struct Candidates {
  std::string dtype;
  ModelTree tree;
  DistinctNodes distinct;
  std::map<std::string, std::size_t> order;  // By node: 0 is the most telling.
};

Result<Candidates> candidates_of(const std::string& dtype, bool is_cpu) {
  Result<ModelTree> tree = primitive_tree(parse_precision(dtype).value_or(Precision::kFp32),
                                          is_cpu ? kProcessorLimits : PrimitiveLimits{});
  if (!tree.ok()) return tree.error();
  Candidates out{dtype, std::move(tree).value(), {}, {}};
  out.distinct = distinct_nodes(out.tree);
  const std::vector<double> ranks = information_of(out.tree);
  std::vector<std::pair<double, std::string>> ranked;
  for (const DistinctNode& node : out.distinct.nodes) {
    if (node.kernels == 1) {
      ranked.emplace_back(-ranks[static_cast<std::size_t>(node.node)], node.key);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t i = 0; i < ranked.size(); ++i) out.order[ranked[i].second] = i;
  return out;
}

void add_jobs(const Candidates& from, const std::vector<CacheState>& caches,
              std::vector<Job>& jobs) {
  PassFacts pass;
  pass.dtype = from.dtype;
  for (Job& job : jobs_of(from.tree, from.distinct, pass, caches)) {
    const auto found = from.order.find(job.node.key);
    if (found == from.order.end()) continue;
    job.weight = -static_cast<double>(found->second);
    jobs.push_back(std::move(job));
  }
}

// The windows of single kernels, of each session the most telling first, as they would have been
// measured in less time.
void keep_kernels(std::vector<MeasuredSession>& sessions,
                  const std::deque<Candidates>& candidates) {
  const auto order_of = [&](const MeasuredWindow& window) {
    for (const Candidates& each : candidates) {
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
      if (!is_of(sample, precision.dtype) || !estimate || estimate->energy_j <= 0) continue;
      energy.push_back(100 * std::abs(estimate->energy_j / sample.energy_j - 1));
      time.push_back(100 * std::abs(estimate->time_s / sample.time_s - 1));
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

std::optional<PassCheck> check_anchor(const Predictor& predictor, const SessionResult& session) {
  if (!session.anchor_energy_j || !session.anchor_time_s) return std::nullopt;
  const Result<BuiltModel> pass = anchor_tree();
  if (!pass.ok()) return std::nullopt;
  const std::string dtype(name_of(pass.value().pass.precision));
  const auto& known = predictor.dtypes;
  if (std::find(known.begin(), known.end(), dtype) == known.end()) return std::nullopt;
  const auto estimates = predict_tree(predictor, TwinIndex(predictor), pass.value().tree);
  if (!estimates.ok()) return std::nullopt;
  const NodeEstimate& whole = estimates.value().back();
  return PassCheck{pass.value().model + ", " + dtype + ", " +
                       std::to_string(pass.value().pass.batch) + " × " +
                       std::to_string(pass.value().pass.seq),
                   *session.anchor_energy_j, *session.anchor_time_s, whole.energy_j, whole.time_s};
}

void add_intervals(const Predictor& predictor, CalibratedPrecision& precision) {
  const Spread spread = predictor.spread_of_unknown(is_single_precision(precision.dtype));
  precision.kernel_percent = 100 * spread.energy[static_cast<std::size_t>(TreeLevel::kMl)];
  precision.model_percent = 100 * spread.energy[static_cast<std::size_t>(TreeLevel::kModel)];
}

// What an earlier session measured of other precisions is known too.
Status add_earlier(const std::vector<MeasuredSession>& sessions, bool is_cpu,
                   std::deque<Candidates>& candidates) {
  std::vector<std::string> dtypes;
  for (const Candidates& each : candidates) dtypes.push_back(each.dtype);
  for (const MeasuredSession& session : sessions) {
    for (const MeasuredWindow& window : session.windows) {
      const std::string& dtype = window.pass.dtype;
      if (std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end()) continue;
      Result<Candidates> more = candidates_of(dtype, is_cpu);
      if (!more.ok()) return more.error();
      candidates.push_back(std::move(more).value());
      dtypes.push_back(dtype);
    }
  }
  return check_widths(dtypes, "start a new file");
}

// A precision of which there is too little is not claimed to be known.
void tell_precisions(const std::deque<Candidates>& candidates, KernelDataAnswer& input,
                     CalibrateAnswer& answer) {
  for (const Candidates& each : candidates) {
    const std::size_t kernels = count_of(input.data, each.dtype);
    if (kernels >= kLeastKernels) {
      answer.precisions.push_back({each.dtype, kernels, each.order.size(), {}, 0, 0});
      continue;
    }
    std::erase_if(input.data.samples,
                  [&](const KernelSample& sample) { return sample.dtype == each.dtype; });
    std::erase(input.dtypes, each.dtype);
    answer.warnings.push_back("only " + std::to_string(kernels) + " kernels of " + each.dtype +
                              " were measured, too few to fit to: more time, and --resume");
  }
}

// From what the file holds to a predictor.
Status fit(std::vector<MeasuredSession> sessions, const std::deque<Candidates>& candidates,
           const CalibrateQuery& query, CalibrateAnswer& answer) {
  keep_kernels(sessions, candidates);
  if (query.measure.allow_load) accept_others(sessions, answer.warnings);
  Result<KernelDataAnswer> read = kernel_data_of(sessions);
  if (!read.ok()) return read.error();
  KernelDataAnswer input = std::move(read).value();
  tell_precisions(candidates, input, answer);
  if (answer.precisions.empty()) {
    return Error{ErrorCode::kUnavailable,
                 "only " + std::to_string(input.data.samples.size()) +
                     " kernels were measured: too few to fit a predictor",
                 "give it more time: --budget, and go on with --resume"};
  }
  if (!query.hardware.empty()) input.data.hardware = query.hardware;
  deal_into_families(input.data);
  if (const Status failure = add_prior(input.data); !failure.ok()) return failure;
  for (const double share : {0.25, 0.5, 1.0}) {
    if (const Status failure = add_learning(input.data, share, answer.precisions); !failure.ok())
      return failure;
  }
  Result<Predictor> trained = train_on_kernels(std::move(input), query.name);
  if (!trained.ok()) return trained.error();
  answer.predictor = std::move(trained).value();
  answer.shortfall = kShortfall;
  answer.anchor = check_anchor(answer.predictor, answer.session);
  if (const auto& anchor = answer.anchor) {
    const auto beyond = [](double predicted, double measured) {
      return std::max(0.0, std::abs(predicted / measured - 1) - kShortfall);
    };
    widen_for_wholes(answer.predictor, beyond(anchor->predicted_j, anchor->measured_j),
                     beyond(anchor->predicted_s, anchor->measured_s));
  }
  for (CalibratedPrecision& precision : answer.precisions) {
    add_intervals(answer.predictor, precision);
  }
  answer.json = to_json(answer.predictor);
  return {};
}

}  // namespace

Result<CalibrateAnswer> calibrate(const CalibrateQuery& query) {
  const Result<std::vector<CacheState>> caches = parse_caches(query.measure.caches);
  if (!caches.ok()) return caches.error();
  if (caches.value().front() != CacheState::kInPlace) {
    return bad("a predictor is fitted to kernels in place, as they run in a model",
               "put it first: --cache in_place,cold");
  }
  // What device it is decides what is measured.
  Result<std::unique_ptr<Executor>> opened = query.measure.open_executor();
  if (!opened.ok()) return opened.error();
  std::unique_ptr<Executor> executor = std::move(opened).value();
  const bool is_cpu = executor->device().kind == "cpu";
  const Result<std::vector<std::string>> dtypes = parse_dtypes(query.dtypes, is_cpu);
  if (!dtypes.ok()) return dtypes.error();
  std::deque<Candidates> candidates;  // Jobs point to their trees.
  for (const std::string& dtype : dtypes.value()) {
    Result<Candidates> found = candidates_of(dtype, is_cpu);
    if (!found.ok()) return found.error();
    candidates.push_back(std::move(found).value());
  }
  std::vector<Job> jobs;
  for (const Candidates& each : candidates) add_jobs(each, caches.value(), jobs);
  const Result<bool> has_windows = file_exists(query.measure.windows);
  if (!has_windows.ok()) return has_windows.error();
  if (query.measure.is_resumed && has_windows.value()) {
    const Result<std::vector<MeasuredSession>> earlier = read_windows(query.measure.windows);
    if (!earlier.ok()) return earlier.error();
    if (const Status failure = add_earlier(earlier.value(), is_cpu, candidates); !failure.ok())
      return failure.error();
  }

  MeasureQuery measure = query.measure;
  measure.needs_energy = true;
  measure.open_executor = [&executor]() -> Result<std::unique_ptr<Executor>> {
    return std::move(executor);
  };
  Result<MeasuredJobs> measured = measure_jobs(std::move(jobs), measure);
  if (!measured.ok()) return measured.error();
  CalibrateAnswer answer;
  answer.reused = measured.value().reused;
  answer.session = std::move(measured).value().session;
  // What was written down is what is fitted to: train makes the same of it.
  Result<std::vector<MeasuredSession>> sessions = read_windows(query.measure.windows);
  if (!sessions.ok()) return sessions.error();
  if (const Status failure = fit(std::move(sessions).value(), candidates, query, answer);
      !failure.ok()) {
    return failure.error();
  }
  return answer;
}

}  // namespace wattree
