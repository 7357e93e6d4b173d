#include "src/predict/predictor/tree_predict.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/large_pages.h"
#include "src/predict/predictor/mixture.h"

namespace wattree {
namespace {

// What nobody has measured by itself: kernels that were priced through the modules they run in, and
// kinds priced by another kind.
constexpr float kUnseenSpread = 0.3F;
constexpr float kStandInSpread = 0.5F;

// Of the time of a pass: what fitted prices may fall short of what the chip allows. Those that ship
// stay below a tenth.
constexpr double kMostLifted = 0.5;

// Half of the interval by level, from what was held out.
class LevelSpreads {
 public:
  struct Halves {
    float energy = 0;
    float time = 0;
  };
  LevelSpreads(const Predictor& predictor, bool is_single)
      : predictor_(predictor), is_single_(is_single) {
    const Spread spread = predictor.spread_of_unknown(is_single);
    const auto half = [](double value) { return static_cast<float>(std::min(1.0, value)); };
    const auto at = [&](std::size_t i) {
      return Halves{half(spread.energy[i]), half(spread.time[i])};
    };
    pass_ = at(2);
    twin_ = {half(spread.twin_energy), half(spread.twin_time)};
    of_kernels_ = {static_cast<float>(spread.energy_of_kernels),
                   static_cast<float>(spread.time_of_kernels)};
  }

  const Halves& twin() const { return twin_; }
  Halves of(const Price& kernel) const {
    const KernelSpread known = spread_of_kernel(predictor_, kernel, is_single_);
    return {static_cast<float>(known.energy), static_cast<float>(known.time)};
  }
  // Of a module or a model, by the energies and times of its kernels.
  Halves of(const NodeEstimate& node, const Mixture& energy, const Mixture& time) const {
    return {half(pass_.energy, of_kernels_.energy, energy.summary(), node.energy.value),
            half(pass_.time, of_kernels_.time, time.summary(), node.time.value)};
  }

 private:
  // `whole` is the kernels' sum, and what calling modules takes.
  static float half(float pass, float of_kernels, const Mixture::Summary& made_of, double whole) {
    const double share = made_of.sum > 0 ? made_of.sum / whole : 0;
    // What is made of badly known kernels is itself known badly.
    const double pass_half = std::max(static_cast<double>(pass),
                                      static_cast<double>(of_kernels) * made_of.halves * share);
    return static_cast<float>(
        std::min(1.0, half_of_mixture(pass_half, made_of.halves, made_of.concentration)));
  }

  const Predictor& predictor_;
  bool is_single_;
  Halves pass_;
  Halves of_kernels_;
  Halves twin_;
};

// Layers repeat: a kernel that does what an earlier one did has its price already. What a kernel
// does is in its op, type, shape and costs, so that its operands need not be looked at again.
class KernelMemo {
 public:
  struct Entry {
    Op op = Op::kNone;
    Level level = Level::kMath;
    std::string_view type;
    Shape shape;
    std::int64_t flops = 0;
    std::int64_t matmul_flops = 0;
    std::int64_t bytes = 0;
    std::uint8_t layout = 0;
    NodeEstimate estimate;  // Without what stands in:
    float stand_in_j = 0;   // the energy that other kinds or sizes are asked for.
    Seconds lifted;         // Of the time: see Price::lifted_time.

    bool is_of(const Node& node) const {
      return op == node.op && bytes == node.bytes && flops == node.flops &&
             matmul_flops == node.matmul_flops &&
             (type.data() == node.type.data() || type == node.type) && level == node.level &&
             layout == node.layout && shape == node.shape;
    }
  };

  // The price of this kernel, or the place to put it.
  Entry& entry(const Node& node) {
    std::uint64_t hash =
        static_cast<std::uint64_t>(node.bytes) + static_cast<std::uint64_t>(node.op);
    hash ^= static_cast<std::uint64_t>(node.flops) * 31;
    hash *= 0x9E3779B97F4A7C15ULL;
    std::size_t slot = hash >> (64 - kBits);
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      slot = (slot + probe) % slots_.size();
      if (slots_[slot] == 0) {
        entries_.emplace_back();
        slots_[slot] = static_cast<std::uint16_t>(entries_.size());
        return entries_.back();
      }
      if (Entry& known = entries_[slots_[slot] - 1]; known.is_of(node)) return known;
    }
    return entries_[slots_[slot] - 1];  // Crowded: the last one looked at goes.
  }
  // Which of the distinct kernels it is.
  std::size_t index_of(const Entry& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }

 private:
  static constexpr int kBits = 10;
  static constexpr std::size_t kProbes = 8;
  std::array<std::uint16_t, std::size_t{1} << kBits> slots_{};  // 1 + index; 0: free.
  std::vector<Entry> entries_;
};

void scale(NodeEstimate& e, const Capped& factors) {
  e.energy *= factors.energy;
  e.own *= factors.energy;
  e.time *= factors.time;
}

Status price_kernel(const Predictor& predictor, const TwinIndex& index, const LevelSpreads& spreads,
                    const ModelTree& tree, const Node& node, bool fetches_weights,
                    KernelMemo::Entry& entry) {
  Work work = work_of(tree, node);
  work.fetches_weight = fetches_weights && has_weight(work);
  NodeEstimate e;
  float stand_in_j = 0;
  Seconds lifted;
  LevelSpreads::Halves halves;
  if (const Twin* twin = index.find(node.type, work)) {
    e.energy = twin->energy;
    e.time = twin->time;
    e.is_looked_up = true;
    halves = spreads.twin();
  } else {
    const Price price = price_of(predictor, work);
    if (!price.is_known) {
      return Error{ErrorCode::kUnavailable,
                   "the predictor " + predictor.name + " has no price for " +
                       std::string(node.type) + " (" + std::string(name_of(work.kind)) + ")",
                   "train one on data that has such kernels, or choose another with <on>"};
    }
    const Price follow = price_to_follow(predictor);
    const Price fetch = work.fetches_weight ? price_to_fetch(predictor) : Price{};
    e.energy = price.energy + follow.energy + fetch.energy;
    e.time = price.time + follow.time + fetch.time;
    scale(e, cap_of_kernel(predictor, e.energy, e.time));
    lifted = price.lifted_time;
    halves = spreads.of(price);
    if (price.is_stand_in || price.is_far) stand_in_j = static_cast<float>(e.energy.value);
    if (node.level == Level::kMath && terms_of(work.kind).size() == 1) {
      halves.energy = std::max(halves.energy, kUnseenSpread);
      halves.time = std::max(halves.time, kUnseenSpread);
    }
  }
  e.own = e.energy;
  e.energy_spread = halves.energy;
  e.time_spread = halves.time;
  entry = {node.op,    node.level,  node.type, node.shape, node.flops, node.matmul_flops,
           node.bytes, node.layout, e,         stand_in_j, lifted};
  return {};
}

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

void widen_for_stand_ins(float stand_in_j, NodeEstimate& e) {
  e.stand_in = static_cast<float>(static_cast<double>(stand_in_j) / e.energy.value);
  const float wider = kStandInSpread * e.stand_in;
  e.energy_spread = std::min(1.0F, e.energy_spread + wider);
  e.time_spread = std::min(1.0F, e.time_spread + wider);
}

// A part cannot be off by more than the whole that it is in, unless others are off the other way:
// the half-widths in joules do not grow downwards.
void narrow_to_parents(std::span<const Node> nodes, std::vector<NodeEstimate>& out) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent < 0) continue;
    const NodeEstimate& parent = out[static_cast<std::size_t>(nodes[i].parent)];
    NodeEstimate& e = out[i];
    const auto narrow = [](float& half, float of_parent, double share) {
      half = std::min(half, static_cast<float>(static_cast<double>(of_parent) / share));
    };
    if (e.energy > Joules())
      narrow(e.energy_spread, parent.energy_spread, e.energy / parent.energy);
    if (e.time > Seconds()) narrow(e.time_spread, parent.time_spread, e.time / parent.time);
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
  const auto nodes = tree.nodes();
  std::vector<NodeEstimate> out;
  out.reserve(nodes.size());
  prefer_large_pages(out.data(), nodes.size() * sizeof(NodeEstimate));
  const LevelSpreads spreads(predictor, activation_dtype(tree.precision) == DType::kFloat32);
  Work call_work;
  call_work.kind = WorkKind::kModuleCall;
  const Price call = price_of(predictor, call_work);
  KernelMemo memo;
  Children children;
  Seconds lifted;  // Of all kernels.
  const double cache_mib = predictor.chip.cache_mib;
  const bool fetches_weights = predictor.is_by_kernel && weight_mib(tree, cache_mib) > cache_mib;

  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    NodeEstimate e;
    float stand_in_j = 0;
    std::size_t kernel = 0;
    if (node.op != Op::kNone) {
      KernelMemo::Entry& entry = memo.entry(node);
      kernel = memo.index_of(entry);
      if (!entry.is_of(node)) {
        if (const Status failure =
                price_kernel(predictor, index, spreads, tree, node, fetches_weights, entry);
            !failure.ok()) {
          return failure.error();
        }
      }
      e = entry.estimate;
      stand_in_j = entry.stand_in_j;
      lifted += entry.lifted;
    } else if (const auto* below = children.find(static_cast<std::int32_t>(i))) {
      e.energy = below->energy;
      e.time = below->time;
      stand_in_j = below->stand_in_j;
      if (below->has_kernel) {
        e.own = call.energy;
        e.energy += call.energy;
        e.time += call.time;
      }
      const LevelSpreads::Halves halves =
          spreads.of(e, below->energy_by_kernel, below->time_by_kernel);
      e.energy_spread = halves.energy;
      e.time_spread = halves.time;
    }
    if (node.parent >= 0) {
      if (node.op != Op::kNone) {
        Children::Sums& sums = children.of(node.parent);
        sums.add(e);
        sums.has_kernel = true;
        sums.stand_in_j += stand_in_j;
        sums.energy_by_kernel.add(kernel, e.energy.value, static_cast<double>(e.energy_spread));
        sums.time_by_kernel.add(kernel, e.time.value, static_cast<double>(e.time_spread));
      } else if (children.find(static_cast<std::int32_t>(i)) != nullptr) {
        children.pass_on(e, node.parent);
      }
    }
    if (stand_in_j > 0) widen_for_stand_ins(stand_in_j, e);
    out.push_back(e);
  }
  if (out.empty()) return out;
  if (!predictor.is_assumed && lifted > out.back().time * kMostLifted) {
    return Error{ErrorCode::kInvalidInput,
                 "the predictor " + predictor.name + " makes this pass faster than " +
                     predictor.hardware + " can be: its prices are not those of this device",
                 "learn it anew, or choose another with <on>"};
  }
  if (const Capped capped = cap_of(predictor, out.back().energy, out.back().time);
      capped.time > 1) {
    for (NodeEstimate& e : out) scale(e, capped);
  }
  narrow_to_parents(nodes, out);
  if (execution == Execution::kEager) add_waiting(*predictor.eager, tree, out);
  return out;
}

}  // namespace wattree
