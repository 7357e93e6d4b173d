#include "src/predict/estimate/ratio.h"

#include <algorithm>
#include <cmath>

namespace wattree {
namespace {

// The correlation of two parts' errors, where every distinct kernel has one of its own. (What all
// kernels of a card share besides makes it larger still.)
double correlation(const EnergyPart& a, const EnergyPart& b) {
  double both = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (const auto& [kernel, energy] : a.kernels) {
    squares_a += energy * energy;
    if (const auto found = b.kernels.find(kernel); found != b.kernels.end()) {
      both += energy * found->second;
    }
  }
  for (const auto& [kernel, energy] : b.kernels) squares_b += energy * energy;
  const double sizes = std::sqrt(squares_a * squares_b);
  return sizes > 0 ? std::min(1.0, both / sizes) : 0;
}

}  // namespace

void EnergyPart::add_own(const Prediction& prediction, const WorkHashes& hashes,
                         std::size_t index) {
  const NodeEstimate& node = prediction.nodes[index];
  const double share = node.energy > Joules() ? node.own.value / node.energy.value : 0;
  const PassEstimate all = estimate_of(node);
  estimate.energy = estimate.energy + node.own;
  estimate.energy_half = estimate.energy_half + all.energy_half * share;
  if (prediction.built.tree.nodes()[index].op == Op::kNone) return;
  estimate.time = estimate.time + all.time;
  estimate.time_half = estimate.time_half + all.time_half;
  kernels[hashes.of(index)] += node.energy.value;
}

EnergyPart EnergyPart::operator*(double factor) const {
  EnergyPart out{estimate * factor, kernels};
  for (auto& [kernel, energy] : out.kernels) energy *= factor;
  return out;
}

EnergyPart whole_of(const Prediction& prediction) {
  const WorkHashes hashes(prediction.built.tree);
  EnergyPart out;
  for (std::size_t i = 0; i < prediction.nodes.size(); ++i) {
    if (prediction.built.tree.nodes()[i].op == Op::kNone) continue;
    out.kernels[hashes.of(i)] += prediction.nodes[i].energy.value;
  }
  out.estimate = prediction.root();
  return out;
}

EnergyRatio ratio_of(const EnergyPart& first, const EnergyPart& other, bool shares_predictor) {
  const double x = first.estimate.energy_spread();
  const double y = other.estimate.energy_spread();
  const double shared = shares_predictor ? correlation(first, other) : 0;
  const double spread = std::sqrt(std::max(0.0, x * x + y * y - 2 * shared * x * y));
  const double value = other.estimate.energy.value / first.estimate.energy.value;
  return {value, value / (1 + spread), value * (1 + spread)};
}

bool share_predictor(const Prediction& a, const Prediction& b) {
  return a.by.predictor == b.by.predictor || (a.by.predictor->name == b.by.predictor->name &&
                                              a.by.predictor->hardware == b.by.predictor->hardware);
}

}  // namespace wattree
