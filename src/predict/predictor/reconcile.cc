#include "src/predict/predictor/reconcile.h"

#include <algorithm>

namespace wattree {

std::vector<double> reconcile(std::span<const Evidence> nodes) {
  const std::size_t count = nodes.size();
  std::vector<Gaussian> parts(count);  // Of a node's parts together,
  std::vector<Gaussian> fused(count);  // and with its reading.
  // The largest variance for its mean among a node's children: that one reaches zero first.
  std::vector<double> shakiest(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    parts[i].mean += nodes[i].own.mean;
    parts[i].variance += nodes[i].own.variance;
    fused[i] = parts[i];
    if (const auto& reading = nodes[i].reading) {
      const double variance = parts[i].variance + reading->variance;
      const double trust = variance > 0 ? parts[i].variance / variance : 1.0;
      fused[i].mean += trust * (reading->mean - parts[i].mean);
      fused[i].variance = (1.0 - trust) * parts[i].variance;
    }
    if (nodes[i].parent >= 0) {
      const auto parent = static_cast<std::size_t>(nodes[i].parent);
      parts[parent].mean += fused[i].mean;
      parts[parent].variance += fused[i].variance;
      if (fused[i].mean > 0) {
        shakiest[parent] = std::max(shakiest[parent], fused[i].variance / fused[i].mean);
      }
    }
  }

  // Down: parents come after their children in the array, so from its end every total is there when
  // the children need it.
  std::vector<double> total(count);
  std::vector<bool> scales(count, false);
  for (std::size_t i = count; i-- > 0;) {
    total[i] = fused[i].mean;
    if (nodes[i].parent >= 0) {
      const auto parent = static_cast<std::size_t>(nodes[i].parent);
      const Gaussian& all = parts[parent];
      if (scales[parent]) {
        total[i] *= all.mean > 0 ? std::max(total[parent], 0.0) / all.mean : 0.0;
      } else if (all.variance > 0) {
        total[i] += (total[parent] - all.mean) * fused[i].variance / all.variance;
      }
    }
    // A deficit shared by variance must not push a part below zero; then all are scaled alike.
    const double surplus = total[i] - parts[i].mean;
    if (nodes[i].is_leaf || surplus >= 0 || parts[i].variance <= 0) continue;
    const double per_variance = surplus / parts[i].variance;
    const Gaussian& own = nodes[i].own;
    scales[i] = 1.0 + per_variance * shakiest[i] < 0 ||
                (!nodes[i].reading && own.mean + per_variance * own.variance < 0);
  }
  return total;
}

}  // namespace wattree
