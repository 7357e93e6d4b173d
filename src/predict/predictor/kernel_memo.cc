#include "src/predict/predictor/kernel_memo.h"

#include <algorithm>

namespace wattree {
namespace {

// What nobody has measured by itself: kernels that were priced through the modules they run in.
constexpr float kUnseenSpread = 0.3F;

}  // namespace

KernelMemo::KernelMemo(const Predictor& predictor, const TwinIndex& index,
                       const LevelSpreads& spreads, const ModelTree& tree)
    : predictor_(predictor),
      index_(index),
      spreads_(spreads),
      tree_(tree),
      fetches_weights_(predictor.is_by_kernel &&
                       weight_mib(tree, predictor.chip.cache_mib) > predictor.chip.cache_mib) {}

KernelMemo::Place KernelMemo::place_of(const Node& node) {
  std::uint64_t hash = static_cast<std::uint64_t>(node.bytes) + static_cast<std::uint64_t>(node.op);
  hash ^= static_cast<std::uint64_t>(node.flops) * 31;
  hash *= 0x9E3779B97F4A7C15ULL;
  std::size_t slot = hash >> (64 - kBits);
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    slot = (slot + probe) % slots_.size();
    if (slots_[slot] == 0) {
      entries_.emplace_back();
      slots_[slot] = static_cast<std::uint16_t>(entries_.size());
      return {entries_.back(), false};
    }
    if (Entry& known = entries_[slots_[slot] - 1]; known.is_of(node)) return {known, true};
  }
  return {entries_[slots_[slot] - 1], false};  // Crowded: the last one looked at goes.
}

Result<const KernelMemo::Kernel*> KernelMemo::find(const Node& node) {
  const auto [entry, is_known] = place_of(node);
  if (!is_known) {
    const Result<Kernel> kernel = price(node);
    if (!kernel.ok()) return kernel.error();
    entry = {node.op,           node.level, node.type,   node.shape,    node.flops,
             node.matmul_flops, node.bytes, node.layout, kernel.value()};
    entry.kernel.index = static_cast<std::size_t>(&entry - entries_.data());
  }
  return &entry.kernel;
}

Result<KernelMemo::Kernel> KernelMemo::price(const Node& node) const {
  Work work = work_of(tree_, node);
  work.fetches_weight = fetches_weights_ && has_weight(work);
  Kernel out;
  NodeEstimate& e = out.estimate;
  LevelSpreads::Halves halves;
  if (const Twin* twin = index_.find(node.type, work)) {
    e.energy = twin->energy;
    e.time = twin->time;
    e.is_looked_up = true;
    halves = spreads_.twin();
  } else {
    const Price price = price_among(predictor_, work);
    if (!price.is_known) {
      return Error{ErrorCode::kUnavailable,
                   "the predictor " + predictor_.name + " has no price for " +
                       std::string(node.type) + " (" + std::string(name_of(work.kind)) + ")",
                   "train one on data that has such kernels, or choose another with <on>"};
    }
    e.energy = price.energy;
    e.time = price.time;
    out.lifted = price.lifted_time;
    halves = spreads_.of(price);
    if (price.is_stand_in || price.is_far) out.stand_in_j = static_cast<float>(e.energy.value);
    if (node.level == Level::kMath && terms_of(work.kind).size() == 1) {
      halves.energy = std::max(halves.energy, kUnseenSpread);
      halves.time = std::max(halves.time, kUnseenSpread);
    }
  }
  e.own = e.energy;
  e.energy_spread = halves.energy;
  e.time_spread = halves.time;
  return out;
}

}  // namespace wattree
