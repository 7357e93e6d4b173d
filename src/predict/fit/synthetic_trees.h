// Trees with energies by a law that we know, for tests: what is fitted must be what was put in.
#pragma once

#include <string>
#include <vector>

#include "src/measure/dataset/dataset.h"

namespace wattree {

struct Law {
  double launch_j = 1e-3;
  double per_gflop_j = 0.05;
  double per_output_mib_j = 2e-3;
  double copy_per_mib_j = 1.5e-3;
  double call_j = 4e-3;
  double watts = 150;    // Energy over time, everywhere;
  double counter = 0.8;  // the GPU's counter sees this share of it.
};

constexpr double kTestMiB = 1024.0 * 1024.0;

inline DatasetNode measured(std::string scope, std::string type, NodeType kind, std::int32_t parent,
                            std::int32_t first, double energy, const Law& law) {
  DatasetNode node;
  node.id = scope;
  node.scope = std::move(scope);
  node.instance_type = std::move(type);
  node.type = kind;
  node.parent = parent;
  node.first = first;
  node.energy = Joules(energy);
  node.features.set(Feature::kTime, energy / law.watts);
  // E = k E_gpu + (P0 + P_cpu * cpu) t with k = 1, P0 = 20 W, P_cpu = 1 W/%, cpu = 10 %.
  node.features.set(Feature::kGpuEnergy, energy * law.counter);
  node.features.set(Feature::kCpu, 10);
  return node;
}

// A module "root.0" of two Linear layers and a copy between them, in a root that adds nothing.
inline DatasetTree synthetic_tree(const std::string& model, std::int64_t batch, std::int64_t seq,
                                  double hidden, const Law& law = {}) {
  DatasetTree tree;
  tree.model_name = model;
  tree.batch_size = batch;
  tree.seq_len = seq;
  const double b = static_cast<double>(batch);
  const double s = static_cast<double>(seq);
  double sum = 0;
  for (const auto& [name, k, n] :
       {std::tuple{"root.0.up", hidden, 4 * hidden}, {"root.0.down", 4 * hidden, hidden}}) {
    const double gflop = 2 * b * s * k * n / 1e9;
    const double energy =
        law.launch_j + law.per_gflop_j * gflop + law.per_output_mib_j * b * s * n * 4 / kTestMiB;
    const auto index = static_cast<std::int32_t>(tree.nodes.size());
    DatasetNode leaf = measured(name, "Linear", NodeType::kMl, 2, index, energy, law);
    leaf.features.set(Feature::kFlops, (2 * b * s * k * n + b * s * n) / 1e6);
    leaf.features.set(Feature::kMemory,
                      4 * (b * (s * k + k * n + s * n) + 2 * b * s * n) / kTestMiB);
    tree.nodes.push_back(leaf);
    sum += energy;
  }
  const double copied = 8 * b * s * hidden * 4 / kTestMiB;
  sum += law.copy_per_mib_j * copied + law.call_j;
  DatasetNode module = measured("root.0", "Block", NodeType::kModule, 3, 0, sum, law);
  module.ops = {{"copy", 1, 0, copied}};
  tree.nodes.push_back(module);
  tree.nodes.push_back(measured("root", model, NodeType::kModel, -1, 0, sum, law));
  return tree;
}

inline std::vector<DatasetTree> synthetic_trees(const std::vector<std::string>& models,
                                                const Law& law = {}) {
  std::vector<DatasetTree> trees;
  double hidden = 256;
  for (const std::string& model : models) {
    for (const std::int64_t batch : {1, 4, 16}) {
      for (const std::int64_t seq : {32, 96, 256}) {
        trees.push_back(synthetic_tree(model, batch, seq, hidden, law));
      }
    }
    hidden += 128;
  }
  return trees;
}

inline std::vector<const DatasetTree*> pointers_to(const std::vector<DatasetTree>& trees) {
  std::vector<const DatasetTree*> out;
  for (const DatasetTree& tree : trees) out.push_back(&tree);
  return out;
}

}  // namespace wattree
