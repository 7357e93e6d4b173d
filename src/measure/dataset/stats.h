// What is in a dataset: the counts of IrEne's Table 4, and what to know before fitting to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "src/measure/dataset/dataset.h"

namespace wattree {

// Nodes by IrEne's three levels: leaves with and without parameters are both `ml`.
struct LevelCounts {
  std::size_t ml = 0;
  std::size_t module = 0;
  std::size_t model = 0;
  std::size_t& of(NodeType type) {
    return type == NodeType::kModel ? model : type == NodeType::kModule ? module : ml;
  }
  std::size_t all() const { return ml + module + model; }
};

struct ModelStats {
  std::string model_name;
  std::size_t trees = 0;
  LevelCounts nodes;
  std::size_t unmeasured = 0;  // Nodes without ground_truth_energy.
  int depth = 0;               // Nodes from the root to the deepest leaf, both counted.
  std::set<std::int64_t> batch_sizes;
  std::set<std::int64_t> seq_lens;
};

// Leaves of one class.
struct OpStats {
  std::size_t nodes = 0;
  std::size_t measured = 0;
  std::size_t distinct = 0;  // Measurements.
  std::set<std::string> models;
};

// One copy of a measurement is where a dataset gives many nodes the same one: class, size and every
// number are equal, the derived num_parameters aside.
class DatasetStats {
 public:
  void add(const DatasetTree& tree);

  const std::vector<ModelStats>& models() const { return models_; }  // As they come.
  const ModelStats& total() const { return total_; }                 // Its name is empty.
  const std::map<std::string, OpStats>& ops() const { return ops_; }
  LevelCounts measured() const { return measured_; }
  LevelCounts distinct() const { return distinct_; }  // Measurements.
  // Nodes that lack a feature, by feature, and those that lack their energy.
  const std::array<std::size_t, kFeatureCount>& missing() const { return missing_; }
  std::size_t predicted() const { return predicted_; }  // Nodes with predicted_energy.
  std::size_t with_ops() const { return with_ops_; }    // Nodes with kernels of their own.

 private:
  bool is_new(const DatasetTree& tree, const DatasetNode& node);

  std::vector<ModelStats> models_;
  std::map<std::string, std::size_t> index_;
  ModelStats total_;
  std::map<std::string, OpStats> ops_;
  LevelCounts measured_;
  LevelCounts distinct_;
  std::array<std::size_t, kFeatureCount> missing_{};
  std::size_t predicted_ = 0;
  std::size_t with_ops_ = 0;
  std::unordered_set<std::size_t> seen_;  // Hashes of measurements.
};

}  // namespace wattree
