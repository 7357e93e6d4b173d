#include "src/api/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/api/measure_session.h"
#include "src/api/primitives.h"
#include "src/predict/predictor_file.h"
#include "src/predict/train.h"
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

// Every kernel is a tree of its own; a fold of them takes the place of a model in holding out.
WorkTrees trees_of(const ModelTree& tree, const std::vector<MeasuredKernel>& samples) {
  WorkTrees out;
  for (int fold = 1; fold <= kFolds; ++fold) out.models.push_back("fold " + std::to_string(fold));
  std::map<std::string, std::int32_t> types;
  // Neighbours in kind and size go to different folds, so that each has some of everything.
  std::map<WorkKind, int> seen;
  for (const MeasuredKernel& sample : samples) {
    const Node& node = tree.nodes()[static_cast<std::size_t>(sample.node)];
    WorkTree& target = out.trees.emplace_back();
    target.works.push_back(work_of(tree, node));
    target.model = seen[target.works.front().kind]++ % kFolds;
    const auto [type, is_new] =
        types.try_emplace(std::string(node.type), static_cast<std::int32_t>(out.types.size()));
    if (is_new) out.types.emplace_back(node.type);
    WorkNode leaf;
    leaf.level = TreeLevel::kMl;
    leaf.type = type->second;
    leaf.work_count = 1;
    leaf.energy_j = sample.figures.energy_j;
    leaf.time_s = sample.figures.time_s;
    target.nodes.push_back(leaf);
  }
  return out;
}

// Mean error of kernels when their fold is left out. `all` decides what is predicted, so that
// points of a curve are comparable; `known` are those that may be fitted to.
LearningPoint held_out_error(const ModelTree& tree, const std::vector<MeasuredKernel>& all,
                             std::size_t known) {
  const WorkTrees whole = trees_of(tree, all);
  LearningPoint out{known, 0, 0};
  double count = 0;
  for (int fold = 0; fold < kFolds; ++fold) {
    std::vector<MeasuredKernel> used;
    for (std::size_t i = 0; i < known; ++i) {
      if (whole.trees[i].model != fold) used.push_back(all[i]);
    }
    const WorkTrees trees = trees_of(tree, used);
    const Samples samples(trees);
    const Result<Predictor> fitted = fit(samples, LeftOut(trees.models.size(), false), {});
    if (!fitted.ok()) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (whole.trees[i].model != fold) continue;
      const Price price = price_of(fitted.value(), whole.trees[i].works.front());
      if (!price.is_known) continue;
      out.energy_percent += 100 * std::abs(price.energy_j / *all[i].figures.energy_j - 1);
      out.time_percent += 100 * std::abs(price.time_s / all[i].figures.time_s - 1);
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
  for (auto& spread : predictor.spreads) {
    if (!spread) continue;
    for (const TreeLevel level : {TreeLevel::kModule, TreeLevel::kModel}) {
      const auto at = static_cast<std::size_t>(level);
      const auto ml = static_cast<std::size_t>(TreeLevel::kMl);
      spread->energy[at] = std::min(1.0, spread->energy[ml] + energy);
      spread->time[at] = std::min(1.0, spread->time[ml] + time);
    }
  }
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
  const int processors = executor->device().multiprocessors;
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
  TrainOptions options;
  options.name = query.name;
  options.hardware = query.hardware.empty() ? device : query.hardware;
  options.meter = answer.session.machine.meters.front();
  options.boundary = answer.session.machine.boundary;
  options.dtypes = {answer.dtype};
  options.fit.processors = processors;
  Result<Trained> trained = train_predictor(trees_of(tree, samples), options);
  if (!trained.ok()) return trained.error();
  answer.predictor = std::move(trained).value().predictor;
  answer.warnings = trained.value().warnings;
  answer.anchor = check_anchor(answer.predictor, answer.dtype, answer.session);
  widen_for_wholes(answer.predictor, answer.anchor);
  answer.json = to_json(answer.predictor);
  for (const double share : {0.25, 0.5, 1.0}) {
    const auto known = static_cast<std::size_t>(share * static_cast<double>(samples.size()));
    if (known < kLeastKernels) continue;
    answer.learning.push_back(held_out_error(tree, samples, known));
  }
  return answer;
}

}  // namespace wattree
