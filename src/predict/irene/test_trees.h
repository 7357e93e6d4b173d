// Small trees with features for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/measure/dataset/dataset.h"

namespace wattree {

// Builds a tree bottom-up: leaves, and inner nodes over the last few.
class TreeBuilder {
 public:
  TreeBuilder(std::string model, std::int64_t batch_size, std::int64_t seq_len) {
    tree_.model_name = std::move(model);
    tree_.batch_size = batch_size;
    tree_.seq_len = seq_len;
  }

  TreeBuilder& leaf(const std::string& type, double time_s, std::optional<double> energy_j) {
    add(type, NodeType::kMl, 0, time_s, energy_j);
    return *this;
  }
  TreeBuilder& inner(std::size_t children, double time_s, std::optional<double> energy_j) {
    add("Module", NodeType::kModule, children, time_s, energy_j);
    return *this;
  }
  // The node that was added last.
  DatasetNode& last() { return tree_.nodes.back(); }
  DatasetTree build() {
    tree_.nodes.back().type = NodeType::kModel;
    return tree_;
  }

 private:
  void add(const std::string& type, NodeType level, std::size_t children, double time_s,
           std::optional<double> energy_j) {
    const auto index = static_cast<std::int32_t>(tree_.nodes.size());
    DatasetNode node;
    node.id = std::to_string(index);
    node.instance_type = type;
    node.type = level;
    node.first = index;
    for (; children > 0; --children) {
      DatasetNode& child = tree_.nodes[static_cast<std::size_t>(open_.back())];
      child.parent = index;
      node.first = child.first;
      open_.pop_back();
    }
    // Features that differ between nodes as in real life: some follow the time, some are constant,
    // and some are exactly collinear.
    const double sizes[] = {1000, 5 * time_s, 10 * time_s,         8.25,
                            10,   90,         40 + 3 * time_s,     1900,
                            3802, time_s,     70 * time_s * time_s};
    for (std::size_t i = 0; i < kFeatureCount; ++i) {
      node.features.set(static_cast<Feature>(i), sizes[i]);
    }
    if (energy_j) node.energy = Joules(*energy_j);
    tree_.nodes.push_back(std::move(node));
    open_.push_back(index);
  }

  DatasetTree tree_;
  std::vector<std::int32_t> open_;  // Nodes without a parent yet.
};

inline std::vector<const DatasetTree*> pointers(const std::vector<DatasetTree>& trees) {
  std::vector<const DatasetTree*> out;
  for (const DatasetTree& tree : trees) out.push_back(&tree);
  return out;
}

// Two models at some sizes. A Linear leaf takes 2 J + 30 W of its time, a Softmax 1 J + 20 W, and
// every inner node `factor` times what its children take.
inline std::vector<DatasetTree> sample_trees(double factor) {
  std::vector<DatasetTree> out;
  for (const char* model : {"a", "b"}) {
    for (int size = 1; size <= 8; ++size) {
      const double t = 0.1 * size * (model[0] == 'a' ? 1 : 1.5);
      const double linear = 2 + 30 * t;
      const double softmax = 1 + 20 * 2 * t;
      const double layer = factor * (2 * linear + softmax);
      TreeBuilder tree(model, 8, 32 * size);
      for (int layers = 0; layers < 2; ++layers) {
        tree.leaf("Linear", t, linear).leaf("Linear", t, linear).leaf("Softmax", 2 * t, softmax);
        tree.inner(3, 4 * t, layer);
      }
      out.push_back(tree.inner(2, 8 * t, factor * 2 * layer).build());
    }
  }
  return out;
}

}  // namespace wattree
