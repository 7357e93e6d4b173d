#include "src/api/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/api/measure_session.h"
#include "src/api/primitives.h"
#include "src/predict/dataset_work.h"
#include "src/predict/kernel_fit.h"
#include "src/predict/predictor_file.h"
#include "src/predict/tree_predict.h"

namespace wattree {
namespace {

constexpr int kFolds = 5;
// Fewer say nothing of how far others are off.
constexpr std::size_t kLeastKernels = 2 * kFolds;
// A processor does some hundred GFLOP a second: what is larger takes too long.
constexpr PrimitiveLimits kProcessorLimits{4e9, 2.5e8};

// A kernel that was measured.
struct MeasuredKernel {
  std::int32_t node = 0;
  double rank = 0;  // The more telling, the higher.
  NodeFigures figures;
};

bool is_sixteen_bits(Precision precision) { return byte_size(activation_dtype(precision)) == 2; }

// Rates that the largest products and streams came near to; they only shape terms, whose prices are
// fitted.
Chip chip_of(const ModelTree& tree, const std::vector<MeasuredKernel>& kernels,
             const DeviceFacts& device) {
  constexpr double kMiB = 1024.0 * 1024.0;
  Chip chip;
  if (device.multiprocessors > 0) chip.processors = device.multiprocessors;
  // Some of a cache always holds other things.
  if (device.cache_bytes > 0) chip.cache_mib = static_cast<double>(device.cache_bytes) / kMiB / 1.5;
  double gflop_per_us = 0;
  double mib_per_us = 0;
  for (const MeasuredKernel& kernel : kernels) {
    const Node& node = tree.nodes()[static_cast<std::size_t>(kernel.node)];
    const double us = 1e6 * kernel.figures.time_s;
    gflop_per_us = std::max(gflop_per_us, static_cast<double>(node.matmul_flops) / 1e9 / us);
    mib_per_us = std::max(mib_per_us, static_cast<double>(node.bytes) / kMiB / us);
  }
  if (gflop_per_us > 0) chip.half_gflop_per_us = chip.single_gflop_per_us = gflop_per_us;
  if (mib_per_us > 0) chip.mib_per_us = mib_per_us;
  return chip;
}

KernelData data_of(const ModelTree& tree, const std::vector<MeasuredKernel>& kernels,
                   const SessionResult& session) {
  const DeviceFacts& device = session.machine.device;
  KernelData out;
  out.meter = session.machine.meters.front();
  out.chip = chip_of(tree, kernels, device);
  out.limit_w = session.machine.power_limit_w.value_or(0.0);
  out.idle_w = session.idle.power_w.value_or(0.0);
  for (const MeasuredKernel& kernel : kernels) {
    const Node& node = tree.nodes()[static_cast<std::size_t>(kernel.node)];
    KernelSample& sample = out.samples.emplace_back();
    sample.kernels.push_back({work_of(tree, node), 1});
    sample.energy_j = *kernel.figures.energy_j;
    sample.time_s = kernel.figures.time_s;
    // With rest in between its clock was not held down.
    sample.is_capped = kernel.figures.is_capped && !kernel.figures.is_paused;
    sample.is_single = !is_sixteen_bits(tree.precision);
    // A processor has no graphs: there a launch is part of the work.
    sample.is_eager = device.kind != "cpu" && kernel.figures.execution == Execution::kEager;
    sample.is_cold = kernel.figures.cache == CacheState::kCold;
    sample.name = node.type;
  }
  return out;
}

// Mean error of kernels when their fold is left out: neighbours in kind and size are in different
// ones, so that each has some of everything. Fitted are the first `known`; predicted are all, so
// that points of a curve are comparable.
LearningPoint held_out_error(const KernelData& data, std::size_t known) {
  std::map<WorkKind, int> seen;
  std::vector<int> folds;
  for (const KernelSample& sample : data.samples) {
    folds.push_back(seen[kernel_kind(sample.kernels.front().work)]++ % kFolds);
  }
  LearningPoint out{known, 0, 0};
  double count = 0;
  for (int fold = 0; fold < kFolds; ++fold) {
    Chosen chosen(data.samples.size(), false);
    for (std::size_t i = 0; i < known; ++i) chosen[i] = folds[i] != fold;
    const Result<Predictor> fitted = fit_kernels(data, chosen);
    if (!fitted.ok()) continue;
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      if (folds[i] != fold) continue;
      const SampleEstimate estimate = predict_sample(fitted.value(), data.samples[i]);
      if (estimate.energy_j <= 0) continue;
      out.energy_percent += 100 * std::abs(estimate.energy_j / data.samples[i].energy_j - 1);
      out.time_percent += 100 * std::abs(estimate.time_s / data.samples[i].time_s - 1);
      count += 1;
    }
  }
  if (count > 0) {
    out.energy_percent /= count;
    out.time_percent /= count;
  }
  return out;
}

std::vector<MeasuredKernel> kernels_of(const DistinctNodes& distinct,
                                       const std::vector<double>& ranks, const Figures& figures,
                                       CacheState cache) {
  std::vector<MeasuredKernel> out;
  for (const DistinctNode& node : distinct.nodes) {
    if (node.kernels != 1) continue;
    // With rest where there is one: that is how it runs among other kernels.
    auto found = figures.find(window_key(node.key, cache, true));
    if (found == figures.end()) found = figures.find(window_key(node.key, cache, false));
    if (found == figures.end() || !found->second.energy_j || *found->second.energy_j <= 0) continue;
    out.push_back({node.node, ranks[static_cast<std::size_t>(node.node)], found->second});
  }
  std::stable_sort(out.begin(), out.end(), [](const MeasuredKernel& a, const MeasuredKernel& b) {
    return a.rank > b.rank;
  });
  return out;
}

// Only kernels were held out. Modules and models get their interval, and on top of it as much as
// kernels were found to fall short of whole passes by (data/h200/README.md: 4 to 6 %), or as much
// as the pass that was measured here is off, where that is more.
void widen_for_wholes(Predictor& predictor, const std::optional<PassCheck>& anchor) {
  constexpr double kShortfall = 0.06;
  double energy = kShortfall;
  double time = kShortfall;
  if (anchor) {
    energy = std::max(energy, std::abs(anchor->predicted_j / anchor->measured_j - 1));
    time = std::max(time, std::abs(anchor->predicted_s / anchor->measured_s - 1));
  }
  const auto widen = [&](std::optional<Spread>& spread) {
    if (!spread) return;
    for (const TreeLevel level : {TreeLevel::kModule, TreeLevel::kModel}) {
      const auto at = static_cast<std::size_t>(level);
      const auto ml = static_cast<std::size_t>(TreeLevel::kMl);
      spread->energy[at] = std::min(1.0, spread->energy[ml] + energy);
      spread->time[at] = std::min(1.0, spread->time[ml] + time);
    }
  };
  for (auto& spread : predictor.spreads) widen(spread);
  widen(predictor.single_spread);
}

std::optional<PassCheck> check_anchor(const Predictor& predictor, const std::string& dtype,
                                      const SessionResult& session) {
  if (!session.anchor_energy_j || !session.anchor_time_s) return std::nullopt;
  const Result<TreeAnswer> pass = anchor_tree();
  if (!pass.ok() || name_of(pass.value().pass.precision) != dtype) return std::nullopt;
  const auto estimates = predict_tree(predictor, TwinIndex(predictor), pass.value().tree);
  if (!estimates.ok()) return std::nullopt;
  const NodeEstimate& whole = estimates.value().back();
  return PassCheck{pass.value().model + ", " + dtype + ", " +
                       std::to_string(pass.value().pass.batch) + " × " +
                       std::to_string(pass.value().pass.seq),
                   *session.anchor_energy_j, *session.anchor_time_s, whole.energy_j, whole.time_s};
}

}  // namespace

Result<CalibrateAnswer> calibrate(const CalibrateQuery& query) {
  const Result<std::vector<CacheState>> caches = parse_caches(query.measure.caches);
  if (!caches.ok()) return caches.error();
  // What device it is decides what is measured.
  Result<std::unique_ptr<Executor>> opened = query.measure.open_executor();
  if (!opened.ok()) return opened.error();
  std::unique_ptr<Executor> executor = std::move(opened).value();
  const bool is_cpu = executor->device().kind == "cpu";
  const std::string device = executor->device().name;
  CalibrateAnswer answer;
  answer.dtype = !query.dtype.empty() ? query.dtype : is_cpu ? "fp32" : "bf16";
  const std::optional<Precision> precision = parse_precision(answer.dtype);
  if (!precision) {
    return Error{ErrorCode::kInvalidInput, "dtype \"" + answer.dtype + "\" is not known",
                 "choose one with --dtype: fp32, tf32, bf16 or fp16"};
  }
  const Result<ModelTree> built =
      primitive_tree(*precision, is_cpu ? kProcessorLimits : PrimitiveLimits{});
  if (!built.ok()) return built.error();
  const ModelTree& tree = built.value();
  const DistinctNodes distinct = distinct_nodes(tree);
  const std::vector<double> ranks = information_of(tree);
  PassFacts pass;
  pass.dtype = answer.dtype;
  std::vector<Job> jobs;
  for (Job& job : jobs_of(tree, distinct, pass, caches.value())) {
    if (job.node.kernels != 1) continue;
    job.weight = ranks[static_cast<std::size_t>(job.node.node)];
    jobs.push_back(std::move(job));
  }
  answer.candidates = jobs.size() / caches.value().size();

  MeasureQuery measure = query.measure;
  measure.open_executor = [&executor]() -> Result<std::unique_ptr<Executor>> {
    return std::move(executor);
  };
  Result<MeasuredJobs> measured = measure_jobs(std::move(jobs), measure);
  if (!measured.ok()) return measured.error();
  answer.session = std::move(measured).value().session;
  answer.reused = measured.value().reused;
  if (answer.session.machine.meters.empty()) {
    return Error{ErrorCode::kUnavailable, "nothing here measures energy, so nothing can be fitted",
                 "wattree meters shows what stands in the way"};
  }
  const std::vector<MeasuredKernel> samples =
      kernels_of(distinct, ranks, measured.value().figures, caches.value().front());
  answer.kernels = samples.size();
  if (samples.size() < kLeastKernels) {
    return Error{ErrorCode::kUnavailable,
                 "only " + std::to_string(samples.size()) +
                     " kernels were measured: too few to fit a predictor",
                 "give it more time: --budget, and go on with --resume"};
  }
  KernelData data = data_of(tree, samples, answer.session);
  data.hardware = query.hardware.empty() ? device : query.hardware;
  Result<Predictor> trained = train_kernels(data, query.name);
  if (!trained.ok()) return trained.error();
  answer.predictor = std::move(trained).value();
  answer.predictor.hardware = data.hardware;
  answer.predictor.meter = data.meter;
  answer.predictor.boundary = answer.session.machine.boundary;
  answer.predictor.dtypes = {answer.dtype};
  answer.anchor = check_anchor(answer.predictor, answer.dtype, answer.session);
  widen_for_wholes(answer.predictor, answer.anchor);
  answer.json = to_json(answer.predictor);
  for (const double share : {0.25, 0.5, 1.0}) {
    const auto known = static_cast<std::size_t>(share * static_cast<double>(samples.size()));
    if (known < kLeastKernels) continue;
    answer.learning.push_back(held_out_error(data, known));
  }
  return answer;
}

}  // namespace wattree
