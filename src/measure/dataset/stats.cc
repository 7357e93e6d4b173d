#include "src/measure/dataset/stats.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

namespace wattree {

// Whether no node before had this measurement.
bool DatasetStats::is_new(const DatasetTree& tree, const DatasetNode& node) {
  std::array<double, kFeatureCount + 2> numbers{};
  for (std::size_t i = 1; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    // One value for "absent": there are many NaNs.
    numbers[i - 1] = node.features.has(feature) ? node.features.get(feature) : -1;
  }
  numbers[kFeatureCount - 1] = node.energy->value;
  numbers[kFeatureCount] = static_cast<double>(tree.batch_size);
  numbers[kFeatureCount + 1] = static_cast<double>(tree.seq_len);
  std::string key(sizeof numbers, '\0');
  std::memcpy(key.data(), numbers.data(), sizeof numbers);
  return seen_.insert(std::hash<std::string>()(key + node.instance_type)).second;
}

void DatasetStats::add(const DatasetTree& tree) {
  const auto [at, is_new_model] = index_.emplace(tree.model_name, models_.size());
  if (is_new_model) models_.emplace_back().model_name = tree.model_name;
  ModelStats& model = models_[at->second];
  const std::vector<std::int32_t> levels = levels_of(tree);
  const int depth = 1 + *std::max_element(levels.begin(), levels.end());
  for (ModelStats* stats : {&model, &total_}) {
    ++stats->trees;
    stats->depth = std::max(stats->depth, depth);
    stats->batch_sizes.insert(tree.batch_size);
    stats->seq_lens.insert(tree.seq_len);
    for (const DatasetNode& node : tree.nodes) {
      ++stats->nodes.of(node.type);
      if (!node.energy) ++stats->unmeasured;
    }
  }
  for (const DatasetNode& node : tree.nodes) {
    const bool is_distinct = node.energy && is_new(tree, node);
    if (node.energy) ++measured_.of(node.type);
    if (is_distinct) ++distinct_.of(node.type);
    if (node.predicted) ++predicted_;
    if (!node.ops.empty()) ++with_ops_;
    for (std::size_t i = 0; i < kFeatureCount; ++i) {
      if (!node.features.has(static_cast<Feature>(i))) ++missing_[i];
    }
    if (!node.is_leaf()) continue;
    OpStats& op = ops_[node.instance_type];
    ++op.nodes;
    if (node.energy) ++op.measured;
    if (is_distinct) ++op.distinct;
    op.models.insert(tree.model_name);
  }
}

}  // namespace wattree
