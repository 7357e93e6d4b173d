#include "src/predict/fit/kernel_data.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>

#include "src/models/tree/distinct.h"
#include "src/predict/fit/measured_chip.h"
#include "src/predict/fit/single_op.h"
#include "src/predict/predictor/tree_predict.h"
#include "src/predict/regress/median.h"

namespace wattree {
namespace {

// Only the first campaigns (data/h200) do not name their meter.
constexpr std::string_view kUnnamedMeter = "NVML energy counter";

std::int32_t index_of(std::vector<std::string>& names, const std::string& name) {
  if (name.empty()) return -1;
  const auto place = std::find(names.begin(), names.end(), name) - names.begin();
  if (place == std::ssize(names)) names.push_back(name);
  return static_cast<std::int32_t>(place);
}

// The kernels below a node, equal ones together.
void add_kernels(const ModelTree& tree, const Node& top, KernelSample& sample) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> seen;
  const auto nodes = tree.nodes();
  const auto end = static_cast<std::size_t>(&top - nodes.data()) + 1;
  for (std::size_t i = static_cast<std::size_t>(top.first); i < end; ++i) {
    if (nodes[i].op == Op::kNone) {
      ++sample.modules;
      continue;
    }
    Work work = work_of(tree, nodes[i]);
    // Few of them were measured: too few for prices of their own, and no harm among the others.
    work.is_spatial = false;
    auto& same = seen[hash_of({}, work)];
    const auto it = std::find_if(same.begin(), same.end(),
                                 [&](std::size_t k) { return sample.kernels[k].work == work; });
    if (it != same.end()) {
      sample.kernels[*it].count += 1;
    } else {
      same.push_back(sample.kernels.size());
      sample.kernels.push_back({work, 1});
    }
  }
}

// The node of a window in the tree of its pass: what does the same work, or else the first call
// with that scope and class.
const Node* find_node(const ModelTree& tree, const NodeFacts& node) {
  const auto nodes = tree.nodes();
  for (const DistinctNode& distinct : distinct_nodes(tree).nodes) {
    if (distinct.key == node.key) return &nodes[static_cast<std::size_t>(distinct.node)];
  }
  for (const Node& other : nodes) {
    if (other.op == Op::kNone && other.scope == node.scope && other.type == node.type) {
      return &other;
    }
  }
  // A primitive that runs one kernel is that kernel.
  for (const Node& other : nodes) {
    if (other.scope == node.scope) return &other;
  }
  return nullptr;
}

// A window's kernels, and how much work they are.
struct WindowKernels {
  KernelSample sample;
  double matmul_flops = 0;
  double bytes = 0;
};

// What a window measured: a node of a tree.
struct WindowNode {
  ModelTree tree;
  std::size_t index = 0;
  const Node& node() const { return tree.nodes()[index]; }
};

Result<WindowNode> node_of_window(const MeasuredSession& session, const MeasuredWindow& window,
                                  const BuildPass& build) {
  const bool is_op = window.node.subject == Subject::kOp;
  Result<ModelTree> tree = is_op ? tree_of_op(window) : build(session, window);
  if (!tree.ok()) return tree.error();
  const bool is_module = window.node.subject == Subject::kModule;
  const Node* top = is_module ? find_node(tree.value(), window.node) : &tree.value().root();
  if (top == nullptr) {
    return Error{ErrorCode::kInvalidInput,
                 window.key + ": the tree has no " + window.node.type + " " + window.node.scope,
                 ""};
  }
  const auto index = static_cast<std::size_t>(top - tree.value().nodes().data());
  return WindowNode{std::move(tree).value(), index};
}

Result<WindowKernels> kernels_of(const MeasuredSession& session, const MeasuredWindow& window,
                                 const BuildPass& build) {
  const Result<WindowNode> found = node_of_window(session, window, build);
  if (!found.ok()) return found.error();
  const ModelTree& tree = found.value().tree;
  const Node& top = found.value().node();
  WindowKernels out;
  add_kernels(tree, top, out.sample);
  if (window.node.subject != Subject::kOp && window.node.subject != Subject::kModule) {
    out.sample.weight_mib = weight_mib(tree, std::numeric_limits<double>::infinity());
  }
  // Routers look at values. Where somebody counted, that many experts had rows.
  for (KernelSample::Kernel& kernel : out.sample.kernels) {
    if (window.experts_at_work > 0 && kernel_kind(kernel.work) == WorkKind::kGrouped16) {
      kernel.work.groups = window.experts_at_work;
    }
  }
  out.matmul_flops = static_cast<double>(top.matmul_flops);
  out.bytes = static_cast<double>(top.bytes);
  return out;
}

KernelSample::Subject subject_of(Subject subject) {
  switch (subject) {
    case Subject::kModel: return KernelSample::Subject::kPass;
    case Subject::kDecode: return KernelSample::Subject::kStep;
    case Subject::kModule: return KernelSample::Subject::kModule;
    case Subject::kOp: break;
  }
  return KernelSample::Subject::kKernel;
}

std::string name_for_people(const MeasuredWindow& w) {
  if (w.node.subject == Subject::kOp) return w.node.type;
  const PassFacts& pass = w.pass;
  std::string out = pass.model;
  for (const auto& [key, value] : pass.overrides) out += "," + key + "=" + value;
  out += " " + pass.dtype + " " + pass.attention + " " + std::to_string(pass.batch) + " x " +
         (pass.past > 0 ? "1 after " + std::to_string(pass.past) : std::to_string(pass.seq));
  return w.node.subject == Subject::kModule ? out + " " + w.node.scope : out;
}

// Zeros and sparse values take less; they are there to show it, not to learn from.
bool is_to_learn_from(const MeasuredWindow& window) {
  const bool has_usual_values = window.values.empty() || window.values == "normal";
  // No pass finds its weights in the cache.
  return has_usual_values && window.figures.doubts.empty() &&
         window.figures.cache != CacheState::kWarm &&
         window.figures.energy.value_or(Joules()) > Joules();
}

double anchor_of(const MeasuredSession& session) {
  return session.anchor_energy_j.value_or(median(session.anchors_j));
}

Status check_alike(const std::vector<MeasuredSession>& sessions) {
  for (const MeasuredSession& session : sessions) {
    const MeasuredSession& first = sessions.front();
    if (session.protocol != first.protocol) {
      return Error{ErrorCode::kInvalidInput,
                   session.where + ": measured by the protocol " + session.protocol + ", and " +
                       first.where + " by " + first.protocol,
                   "their figures are not alike: give files of one protocol"};
    }
    if (session.device == first.device && session.boundary == first.boundary) continue;
    return Error{ErrorCode::kInvalidInput,
                 session.where + ": measured on " + session.device + " (" + session.boundary +
                     "), and " + first.where + " on " + first.device + " (" + first.boundary + ")",
                 "a predictor is of one kind of hardware: give the folder of one"};
  }
  return {};
}

}  // namespace

Result<std::uint64_t> work_hash(const MeasuredSession& session, const MeasuredWindow& window,
                                const BuildPass& build) {
  const Result<WindowNode> found = node_of_window(session, window, build);
  if (!found.ok()) return found.error();
  return WorkHashes(found.value().tree).of(found.value().index);
}

bool is_single_precision(std::string_view dtype) { return dtype == "fp32" || dtype == "tf32"; }

Result<KernelDataAnswer> kernel_data(const std::vector<MeasuredSession>& sessions,
                                     const BuildPass& build) {
  if (const Status failure = check_alike(sessions); !failure.ok()) return failure.error();
  KernelDataAnswer answer;
  KernelData& data = answer.data;
  std::vector<double> anchors;
  std::vector<double> idle;
  for (const MeasuredSession& session : sessions) {
    if (anchor_of(session) > 0) anchors.push_back(anchor_of(session));
    if (session.idle_power_w > 0) idle.push_back(session.idle_power_w);
    data.limit_w = std::max(data.limit_w, session.power_limit_w);
    data.native_kernel_s.push_back(session.native_kernel_s);
    data.hardware = session.device;
    answer.boundary = session.boundary;
    if (data.meter.empty()) data.meter = session.meter;
  }
  if (data.meter.empty()) data.meter = kUnnamedMeter;
  data.idle_w = median(idle);
  const double middle = median(anchors);
  if (!sessions.empty() && anchors.size() == sessions.size()) {
    data.anchor = {Joules(middle), sessions.front().protocol};
  }
  std::vector<MeasuredRate> rates;
  for (const MeasuredSession& session : sessions) {
    const double factor = anchor_of(session) > 0 ? anchor_of(session) / middle : 1;
    for (const MeasuredWindow& window : session.windows) {
      if (!is_to_learn_from(window)) {
        ++answer.doubtful;
        continue;
      }
      Result<WindowKernels> kernels = kernels_of(session, window, build);
      if (!kernels.ok()) {
        answer.problems.push_back(kernels.error().message);
        continue;
      }
      const NodeFigures& figures = window.figures;
      const WindowKernels& found = kernels.value();
      if (found.sample.kernels.empty()) continue;
      KernelSample& sample = data.samples.emplace_back(found.sample);
      sample.subject = subject_of(window.node.subject);
      sample.energy = *figures.energy / factor;
      sample.card_factor = factor;
      sample.time = figures.time;
      sample.is_capped = figures.is_capped && !figures.is_paused;
      sample.is_rested = figures.is_paused;
      sample.is_single = is_single_precision(window.pass.dtype);
      sample.dtype = window.pass.dtype;
      // A processor has no graphs: there a launch is part of the work.
      sample.is_eager = figures.execution == Execution::kEager && session.device_kind != "cpu";
      sample.is_cold = figures.cache == CacheState::kCold;
      sample.model = index_of(data.models, window.pass.model);
      sample.family = index_of(data.families, window.pass.family);
      sample.session = static_cast<std::int32_t>(&session - sessions.data());
      sample.plan = window.plan;
      sample.name = name_for_people(window);
      rates.push_back({found.matmul_flops, found.bytes, figures.time, sample.is_single});
      if (std::find(answer.dtypes.begin(), answer.dtypes.end(), window.pass.dtype) ==
          answer.dtypes.end()) {
        answer.dtypes.push_back(window.pass.dtype);
      }
    }
  }
  if (data.samples.empty()) {
    return Error{ErrorCode::kInvalidInput,
                 "no measurement that could be used: " + std::to_string(answer.doubtful) +
                     " windows are without energy or doubtful, " +
                     std::to_string(answer.problems.size()) + " are of kernels that are not known",
                 !answer.problems.empty()
                     ? answer.problems.front()
                     : "\"doubts\" in the file says which and why; measure again, with the machine "
                       "for itself"};
  }
  data.chip = chip_of(sessions.front(), rates);
  std::erase_if(answer.dtypes, [](const std::string& name) { return !parse_precision(name); });
  std::sort(answer.dtypes.begin(), answer.dtypes.end(), std::greater<>());  // fp32 before bf16.
  return answer;
}

void deal_into_families(KernelData& data) {
  constexpr int kFamilies = 5;
  for (int i = 1; i <= kFamilies; ++i) data.families.push_back("kernels " + std::to_string(i));
  std::map<WorkKind, std::int32_t> seen;
  for (KernelSample& sample : data.samples) {
    if (sample.subject != KernelSample::Subject::kKernel || sample.family >= 0) continue;
    sample.family = seen[kernel_kind(sample.kernels.front().work, data.chip)]++ % kFamilies;
  }
}

}  // namespace wattree
