#include "src/kernels/kernel_data.h"

#include <algorithm>
#include <unordered_map>

#include "src/kernels/single_op.h"
#include "src/predict/tree_predict.h"
#include "src/regress/median.h"

namespace wattree {
namespace {

using Subject = KernelSample::Subject;

// Rates that large products and copies come near to on this hardware; they only shape terms, whose
// prices are fitted.
struct KnownChip {
  std::string_view hardware;
  Chip chip;
};
constexpr KnownChip kChips[] = {
    {"NVIDIA H200",
     {.processors = 132,
      .cache_mib = 40,
      .half_gflop_per_us = 0.8,
      .single_gflop_per_us = 0.046,
      .mib_per_us = 4.0e6 / (1024 * 1024)}},
};

std::int32_t index_of(std::vector<std::string>& names, const std::string& name) {
  if (name.empty()) return -1;
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) names.push_back(name);
  return static_cast<std::int32_t>(it == names.end() ? names.size() - 1 : it - names.begin());
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
    const Work work = work_of(tree, nodes[i]);
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

// The module of a window in the tree of its pass: the first call with that scope and class.
const Node* find_module(const ModelTree& tree, const Window& window) {
  for (const Node& node : tree.nodes()) {
    if (node.op == Op::kNone && node.scope == window.scope && node.type == window.type) {
      return &node;
    }
  }
  // A primitive that runs one kernel is that kernel.
  for (const Node& node : tree.nodes()) {
    if (node.scope == window.scope) return &node;
  }
  return nullptr;
}

Failure fill_kernels(const Window& window, const BuildPass& build, KernelSample& sample) {
  if (window.subject == "op") {
    const Result<ModelTree> tree = tree_of_op(window);
    if (!tree.ok()) return tree.error();
    add_kernels(tree.value(), tree.value().root(), sample);
    return std::nullopt;
  }
  const Result<ModelTree> tree = build(window);
  if (!tree.ok()) return tree.error();
  const Node* top =
      window.subject == "module" ? find_module(tree.value(), window) : &tree.value().root();
  if (top == nullptr) {
    return Error{ErrorCode::kInvalidInput,
                 window.key + ": the tree has no " + window.type + " " + window.scope, ""};
  }
  add_kernels(tree.value(), *top, sample);
  return std::nullopt;
}

std::string name_for_people(const Window& w) {
  if (w.subject == "op") return w.type;
  std::string out = w.model;
  for (const auto& [key, value] : w.overrides) out += "," + key + "=" + value;
  out += " " + w.dtype + " " + w.attention + " " + std::to_string(w.batch) + " x " +
         (w.past > 0 ? "1 after " + std::to_string(w.past) : std::to_string(w.seq));
  return w.subject == "module" ? out + " " + w.scope : out;
}

}  // namespace

Result<KernelDataAnswer> kernel_data(const std::vector<Session>& sessions, const BuildPass& build) {
  KernelDataAnswer answer;
  KernelData& data = answer.data;
  std::vector<double> anchors;
  std::vector<double> idle;
  for (const Session& session : sessions) {
    if (data.hardware.empty()) data.hardware = session.hardware;
    if (session.hardware != data.hardware) {
      return Error{ErrorCode::kInvalidInput,
                   "measurements of " + data.hardware + " and of " + session.hardware,
                   "a predictor is of one kind of hardware: give the folder of one"};
    }
    if (session.anchor_energy_j > 0) anchors.push_back(session.anchor_energy_j);
    if (session.idle_power_w > 0) idle.push_back(session.idle_power_w);
    data.limit_w = std::max(data.limit_w, session.power_limit_w);
    answer.doubtful += session.left_out;
  }
  data.idle_w = median(idle);
  data.meter = "NVML energy counter";
  for (const KnownChip& known : kChips) {
    if (known.hardware == data.hardware) data.chip = known.chip;
  }
  const double middle = median(anchors);
  for (const Session& session : sessions) {
    const double factor = session.anchor_energy_j > 0 ? session.anchor_energy_j / middle : 1;
    for (const Window& window : session.windows) {
      KernelSample sample;
      sample.subject = window.subject == "op"       ? Subject::kKernel
                       : window.subject == "module" ? Subject::kModule
                       : window.past > 0            ? Subject::kStep
                                                    : Subject::kPass;
      if (Failure failure = fill_kernels(window, build, sample)) {
        answer.problems.push_back(failure->message);
        continue;
      }
      if (sample.kernels.empty()) continue;
      sample.energy_j = window.energy_j / factor;
      sample.card_factor = factor;
      sample.time_s = window.time_s;
      sample.is_capped = window.is_capped;
      sample.is_single = window.dtype == "fp32";
      sample.is_eager = window.execution == "eager";
      sample.is_cold = window.cache == "cold";
      sample.model = index_of(data.models, window.model);
      sample.family = index_of(data.families, window.family);
      sample.name = name_for_people(window);
      data.samples.push_back(std::move(sample));
    }
  }
  if (data.samples.empty()) {
    return Error{ErrorCode::kInvalidInput, "no measurement that could be used",
                 answer.problems.empty() ? "" : answer.problems.front()};
  }
  return answer;
}

}  // namespace wattree
