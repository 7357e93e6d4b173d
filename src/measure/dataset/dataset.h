// A dataset: model trees whose nodes carry features and, where somebody measured it, energy. Units
// and names are those of IrEne's public JSON Lines format, so that its scripts read what we write.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/units.h"

namespace wattree {

// The features of a node, in the order IrEne's regressors take them. (Batch size, sequence length
// and their product belong to the tree.)
enum class Feature : std::uint8_t {
  kParameters,   // num_parameters
  kFlops,        // flops, in 10^6
  kMemory,       // mem_bytes, in MiB
  kCpu,          // cpu: % of all threads
  kRam,          // mem: % of the machine's memory
  kGpu,          // gpu: %
  kGpuMemory,    // gpu_mem: %
  kGpuClock,     // gpu_clk, in MHz
  kGpuMemClock,  // gpu_mem_clk, in MHz
  kTime,         // times_mean, in s per execution
  kGpuEnergy,    // gpu_energy_mean, in J per execution, by the GPU's own counter
};
inline constexpr std::size_t kFeatureCount = 11;
// Their names in the JSON Lines format.
inline constexpr std::array<std::string_view, kFeatureCount> kFeatureNames{
    "num_parameters", "flops",      "mem_bytes",      "cpu", "mem", "gpu", "gpu_mem", "gpu_clk",
    "gpu_mem_clk",    "times_mean", "gpu_energy_mean"};
constexpr std::string_view name_of(Feature feature) {
  return kFeatureNames[static_cast<std::size_t>(feature)];
}

// Values by feature. An absent one is NaN inside, and nothing outside.
class Features {
 public:
  Features() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }
  bool has(Feature f) const { return !std::isnan(values_[static_cast<std::size_t>(f)]); }
  double get(Feature f) const { return values_[static_cast<std::size_t>(f)]; }  // Only if has(f).
  void set(Feature f, double value) { values_[static_cast<std::size_t>(f)] = value; }

 private:
  std::array<double, kFeatureCount> values_;
};

// `ml` is a leaf with parameters, `ml-np` one without.
enum class NodeType : std::uint8_t { kModel, kModule, kMl, kMlNonParametric };
inline constexpr std::array<std::string_view, 4> kNodeTypeNames{"model", "module", "ml", "ml-np"};
constexpr std::string_view name_of(NodeType type) {
  return kNodeTypeNames[static_cast<std::size_t>(type)];
}

// Kernels of a node that are no nodes themselves, by kind (`copy`, `elementwise`, `scores`,
// `gelu`).
struct Kernels {
  std::string op;
  double calls = 0;
  double flops = 0;      // 10^6
  double mem_bytes = 0;  // MiB read and written
};

struct DatasetNode {
  std::string id;  // Unique within the file.
  std::string scope;
  std::string instance_type;  // The class: Linear, BertLayer, …
  NodeType type = NodeType::kModule;
  std::int32_t parent = -1;
  std::int32_t first = 0;  // The subtree is [first, this node]: post-order.
  Features features;
  std::optional<Joules> energy;     // ground_truth_energy: measured
  std::optional<Joules> predicted;  // predicted_energy
  // Our own: the 90 % interval, what the node takes besides its children, and its time.
  std::optional<Joules> predicted_low, predicted_high, predicted_own;
  std::optional<Seconds> predicted_time;
  std::vector<Kernels> ops;
  bool is_leaf() const { return type == NodeType::kMl || type == NodeType::kMlNonParametric; }
};

// One model run at one size.
struct DatasetTree {
  std::string model_name;
  std::int64_t batch_size = 0;
  std::int64_t seq_len = 0;
  std::string dtype;               // Our own: "bf16"; empty where it is not said, as in IrEne's.
  std::string protocol;            // Our own: how it was measured; empty where it is not said.
  std::vector<DatasetNode> nodes;  // Children before their parents; the root is last.
  const DatasetNode& root() const { return nodes.back(); }
};

// The children of a node, first to last.
std::vector<std::int32_t> children_of(const DatasetTree& tree, std::int32_t node);

// Nodes above each node, by index: 0 for the root.
std::vector<std::int32_t> levels_of(const DatasetTree& tree);

}  // namespace wattree
