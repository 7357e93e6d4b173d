#include "src/predict/predictor/tree_predict.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "src/base/large_pages.h"
#include "src/predict/predictor/kernel_memo.h"
#include "src/predict/predictor/level_spreads.h"

namespace wattree {
namespace {

// Of the time of a pass: what fitted prices may fall short of what the chip allows. Those that ship
// stay below a tenth, except with experts in fp32, which nobody measured.
constexpr double kMostLifted = 0.5;

constexpr std::uint32_t kNoKernel = ~std::uint32_t{0};

// What the children that came by have added up to. In post-order, nodes that have children and are
// yet to come are a stack.
class Children {
 public:
  struct Sums {
    std::int32_t node = -1;
    bool has_kernel = false;  // Among the children themselves.
    float stand_in_j = 0;
    Joules energy;
    Seconds time;
    Mixture energy_by_kernel;
    Mixture time_by_kernel;

    void add(const NodeEstimate& child) {
      energy += child.energy;
      time += child.time;
    }
  };
  // So far, of a node that is yet to come.
  Sums& of(std::int32_t node) {
    if (has(node)) return stack_[depth_ - 1];
    if (depth_ == stack_.size()) stack_.emplace_back();
    Sums& sums = stack_[depth_++];  // Its memory is that of one that has gone.
    sums.node = node;
    sums.has_kernel = false;
    sums.stand_in_j = 0;
    sums.energy = {};
    sums.time = {};
    sums.energy_by_kernel.clear();
    sums.time_by_kernel.clear();
    return sums;
  }
  // Of a node whose children have all come by; nothing where it has none.
  const Sums* find(std::int32_t node) const { return has(node) ? &stack_[depth_ - 1] : nullptr; }
  // Such a node's go to its parent.
  void pass_on(const NodeEstimate& node, std::int32_t parent) {
    Sums& from = stack_[--depth_];
    if (!has(parent)) {  // Its first child: the sums so far are the child's.
      ++depth_;
      from.node = parent;
      from.has_kernel = false;
      from.energy = node.energy;
      from.time = node.time;
      return;
    }
    Sums& to = stack_[depth_ - 1];
    to.add(node);
    to.stand_in_j += from.stand_in_j;
    to.energy_by_kernel.add(from.energy_by_kernel);
    to.time_by_kernel.add(from.time_by_kernel);
  }

 private:
  bool has(std::int32_t node) const { return depth_ > 0 && stack_[depth_ - 1].node == node; }

  std::vector<Sums> stack_;
  std::size_t depth_ = 0;
};

// Prices a tree from its leaves upwards.
class Walk {
 public:
  Walk(const Predictor& predictor, const TwinIndex& index, const ModelTree& tree)
      : nodes_(tree.nodes()),
        spreads_(predictor, activation_dtype(tree.precision) == DType::kFloat32),
        memo_(predictor, index, spreads_, tree) {
    Work call;
    call.kind = WorkKind::kModuleCall;
    call_ = price_of(predictor, call);
    out_.reserve(nodes_.size());
    kernels_.reserve(nodes_.size());
    prefer_large_pages(out_.data(), nodes_.size() * sizeof(NodeEstimate));
  }

  Status visit_all() {
    for (const Node& node : nodes_) {
      if (node.op == Op::kNone) {
        visit_module(node);
      } else if (Status failure = visit_kernel(node); !failure.ok()) {
        return failure;
      }
    }
    return {};
  }
  // Once all were visited:
  std::vector<NodeEstimate> take() { return std::move(out_); }
  std::span<const std::uint32_t> kernels() const { return kernels_; }  // Of each node: its place.
  Seconds lifted() const { return lifted_; }  // Of all kernels: see Price::lifted_time.

 private:
  Status visit_kernel(const Node& node) {
    const Result<const KernelMemo::Kernel*> found = memo_.find(node);
    if (!found.ok()) return found.error();
    const KernelMemo::Kernel& kernel = *found.value();
    const NodeEstimate& e = kernel.estimate;
    lifted_ += kernel.lifted;
    if (node.parent >= 0) {
      Children::Sums& sums = children_.of(node.parent);
      sums.add(e);
      sums.has_kernel = true;
      sums.stand_in_j += kernel.stand_in_j;
      sums.energy_by_kernel.add(kernel.index, e.energy.value, static_cast<double>(e.energy_spread));
      sums.time_by_kernel.add(kernel.index, e.time.value, static_cast<double>(e.time_spread));
    }
    kernels_.push_back(static_cast<std::uint32_t>(kernel.index));
    keep(e, kernel.stand_in_j);
    return {};
  }

  void visit_module(const Node& node) {
    kernels_.push_back(kNoKernel);
    NodeEstimate e;
    const auto* below = children_.find(static_cast<std::int32_t>(out_.size()));
    if (below == nullptr) return keep(e, 0);
    e.energy = below->energy;
    e.time = below->time;
    if (below->has_kernel) {
      e.own = call_.energy;
      e.energy += call_.energy;
      e.time += call_.time;
    }
    const LevelSpreads::Halves halves =
        spreads_.of(e, below->energy_by_kernel, below->time_by_kernel);
    e.energy_spread = halves.energy;
    e.time_spread = halves.time;
    const float stand_in_j = below->stand_in_j;
    if (node.parent >= 0) children_.pass_on(e, node.parent);
    keep(e, stand_in_j);
  }

  void keep(NodeEstimate e, float stand_in_j) {
    if (stand_in_j > 0) {
      e.stand_in = static_cast<float>(static_cast<double>(stand_in_j) / e.energy.value);
      const float wider = static_cast<float>(kStandInSpread) * e.stand_in;
      e.energy_spread = std::min(1.0F, e.energy_spread + wider);
      e.time_spread = std::min(1.0F, e.time_spread + wider);
    }
    out_.push_back(e);
  }

  std::span<const Node> nodes_;
  LevelSpreads spreads_;
  KernelMemo memo_;
  Price call_;  // Of a module that has kernels.
  Children children_;
  Seconds lifted_;
  std::vector<NodeEstimate> out_;
  std::vector<std::uint32_t> kernels_;
};

// A part cannot be off by more than the whole that it is in, unless others are off the other way:
// the half-widths in joules do not grow downwards.
void narrow_to_parents(std::span<const Node> nodes, std::vector<NodeEstimate>& out) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent < 0) continue;
    const NodeEstimate& parent = out[static_cast<std::size_t>(nodes[i].parent)];
    NodeEstimate& e = out[i];
    const auto narrow = [](float& half, double value, float whole_half, double whole) {
      const double most = static_cast<double>(whole_half) * whole;
      if (static_cast<double>(half) * value > most) half = static_cast<float>(most / value);
    };
    narrow(e.energy_spread, e.energy.value, parent.energy_spread, parent.energy.value);
    narrow(e.time_spread, e.time.value, parent.time_spread, parent.time.value);
  }
}

// What is shared by kernels of one place of the memo: mostly one kernel. Where there are very many,
// a place may have had several, and then nothing is shared.
struct SharedHalves {
  Joules energy;
  Seconds time;
  float energy_spread = std::numeric_limits<float>::infinity();
  float time_spread = std::numeric_limits<float>::infinity();
  bool is_empty = true, is_one = true;

  void add(const NodeEstimate& e) {
    if (is_empty) energy = e.energy;
    if (is_empty) time = e.time;
    is_empty = false;
    is_one = is_one && energy == e.energy && time == e.time;
    energy_spread = std::min(energy_spread, e.energy_spread);
    time_spread = std::min(time_spread, e.time_spread);
  }
};

// The same kernel is off by the same in every place: the narrowest half-widths hold for all of
// them, also where how its operands lie makes it two kernels of one price.
void share_narrowest(std::span<const std::uint32_t> kernels, std::vector<NodeEstimate>& out) {
  std::vector<SharedHalves> all;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (kernels[i] == kNoKernel) continue;
    if (kernels[i] >= all.size()) all.resize(kernels[i] + 1);
    all[kernels[i]].add(out[i]);
  }
  std::map<std::pair<double, double>, std::pair<float, float>> by_price;
  for (const SharedHalves& one : all) {
    if (one.is_empty || !one.is_one) continue;
    auto& [energy, time] =
        by_price.try_emplace({one.energy.value, one.time.value}, one.energy_spread, one.time_spread)
            .first->second;
    energy = std::min(energy, one.energy_spread);
    time = std::min(time, one.time_spread);
  }
  for (SharedHalves& one : all) {
    if (one.is_empty || !one.is_one) continue;
    std::tie(one.energy_spread, one.time_spread) = by_price.at({one.energy.value, one.time.value});
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (kernels[i] == kNoKernel || !all[kernels[i]].is_one) continue;
    out[i].energy_spread = all[kernels[i]].energy_spread;
    out[i].time_spread = all[kernels[i]].time_spread;
  }
}

double launch_seconds(const EagerHost& host, const ModelTree& tree, const Node& node) {
  if (node.op == Op::kNone) return host.seconds(0, 0, 1);
  return host.seconds(1, is_library_call(work_of(tree, node)) ? 1 : 0, 0);
}

// What the host is slower than the device is spread over kernels and modules as the host's time is.
void add_waiting(const EagerHost& host, const ModelTree& tree, std::vector<NodeEstimate>& out) {
  const auto nodes = tree.nodes();
  std::vector<double> own_s(nodes.size());
  double host_s = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    own_s[i] = launch_seconds(host, tree, nodes[i]);
    host_s += own_s[i];
  }
  const double waiting_s = host_s - out.back().time.value;
  if (waiting_s <= 0) return;
  std::vector<double> below(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    own_s[i] *= waiting_s / host_s;
    const double all_s = own_s[i] + below[i];
    NodeEstimate& e = out[i];
    e.own.value += own_s[i] * host.waiting_w;
    e.energy.value += all_s * host.waiting_w;
    e.time.value += all_s;
    // What is known badly is all of the host's time, of which waiting is the part that shows.
    const double unknown_s = host.spread * all_s * host_s / waiting_s;
    const auto widen = [](float& half, double by) {
      half = std::min(1.0F, half + static_cast<float>(by));
    };
    widen(e.energy_spread, unknown_s * host.waiting_w / e.energy.value);
    widen(e.time_spread, unknown_s / e.time.value);
    if (nodes[i].parent >= 0) below[static_cast<std::size_t>(nodes[i].parent)] += all_s;
  }
}

}  // namespace

Result<std::vector<NodeEstimate>> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                               const ModelTree& tree, Execution execution) {
  if (execution == Execution::kEager && !predictor.eager) {
    return Error{ErrorCode::kUnavailable,
                 "the predictor " + predictor.name + " does not know what launching kernels takes",
                 "leave <execution> out, or choose another predictor with <on>"};
  }
  Walk walk(predictor, index, tree);
  if (const Status failure = walk.visit_all(); !failure.ok()) return failure.error();
  std::vector<NodeEstimate> out = walk.take();
  if (out.empty()) return out;
  if (!predictor.is_assumed && walk.lifted() > out.back().time * kMostLifted) {
    return Error{ErrorCode::kInvalidInput,
                 "the predictor " + predictor.name + " makes this pass faster than " +
                     predictor.hardware + " can be: its prices are not those of this device",
                 "learn it anew, or choose another with <on>"};
  }
  if (const Capped capped = cap_of(predictor, out.back().energy, out.back().time);
      capped.time > 1) {
    for (NodeEstimate& e : out) e.scale(capped);
  }
  narrow_to_parents(tree.nodes(), out);
  share_narrowest(walk.kernels(), out);
  if (execution == Execution::kEager) add_waiting(*predictor.eager, tree, out);
  return out;
}

}  // namespace wattree
