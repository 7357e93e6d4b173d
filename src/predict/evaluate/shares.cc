#include "src/predict/evaluate/shares.h"

#include <algorithm>
#include <map>
#include <optional>

namespace wattree {
namespace {

using Sums = std::map<std::string, double>;

// Joules by class; nothing where a part was not measured.
std::optional<Sums> sums_of(const DatasetTree& tree) {
  const std::size_t count = tree.nodes.size();
  std::vector<bool> has_module(count, false);  // Below it.
  for (std::size_t i = 0; i < count; ++i) {
    const DatasetNode& node = tree.nodes[i];
    if (!node.is_leaf() && node.parent >= 0)
      has_module[static_cast<std::size_t>(node.parent)] = true;
  }
  Sums sums;
  for (std::size_t i = 0; i < count; ++i) {
    const DatasetNode& node = tree.nodes[i];
    if (node.parent < 0 || has_module[i]) continue;
    if (node.is_leaf() && !has_module[static_cast<std::size_t>(node.parent)]) continue;
    if (!node.energy || !(node.energy->value > 0)) return std::nullopt;
    sums[node.instance_type] += node.energy->value;
  }
  return sums;
}

}  // namespace

std::vector<ModelShares> measured_shares(const std::vector<const DatasetTree*>& trees) {
  struct Total {
    Sums joules;
    double whole_j = 0;
  };
  std::vector<std::pair<std::string, Total>> totals;
  for (const DatasetTree* tree : trees) {
    const auto& whole = tree->root().energy;
    if (!whole || !(whole->value > 0)) continue;
    const std::optional<Sums> sums = sums_of(*tree);
    if (!sums) continue;
    auto it = std::find_if(totals.begin(), totals.end(),
                           [&](const auto& total) { return total.first == tree->model_name; });
    if (it == totals.end()) it = totals.insert(totals.end(), {tree->model_name, {}});
    it->second.whole_j += whole->value;
    for (const auto& [type, joules] : *sums) it->second.joules[type] += joules;
  }
  std::vector<ModelShares> out;
  for (const auto& [model, total] : totals) {
    ModelShares shares{model, {}};
    for (const auto& [type, joules] : total.joules) {
      shares.shares.push_back({type, 100 * joules / total.whole_j});
    }
    std::stable_sort(shares.shares.begin(), shares.shares.end(),
                     [](const TypeShare& a, const TypeShare& b) { return a.percent > b.percent; });
    out.push_back(std::move(shares));
  }
  return out;
}

}  // namespace wattree
