// The work of a dataset's nodes: trees as the predictor fits and predicts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/units.h"
#include "src/measure/dataset/dataset.h"
#include "src/predict/predictor/work.h"

namespace wattree {

// What was read while the node ran alone, besides the energy to predict.
struct NodeReading {
  Joules gpu_energy;
  Seconds time;
  double cpu_percent = 0;  // 0 where it was not read.
};

enum class TreeLevel : std::uint8_t { kMl, kModule, kModel };  // As IrEne reports errors.
inline constexpr std::size_t kTreeLevels = 3;

struct WorkNode {
  std::int32_t parent = -1;
  std::int32_t first = 0;
  TreeLevel level = TreeLevel::kModule;
  std::int32_t type = 0;         // Index of the class in WorkTrees::types.
  std::uint32_t works = 0;       // Where its own kernels begin in WorkTree::works,
  std::uint32_t work_count = 0;  // and how many they are: one for a leaf.
  std::optional<NodeReading> reading;
  std::optional<Joules> energy;  // Measured; always positive.
  std::optional<Seconds> time;
};

struct WorkTree {
  std::int32_t model = 0;  // Index in WorkTrees::models.
  std::vector<WorkNode> nodes;
  std::vector<Work> works;
};

struct WorkTrees {
  std::vector<std::string> models;
  std::vector<std::string> types;
  std::vector<WorkTree> trees;  // One for each tree of the dataset, node by node.
  std::vector<std::string> warnings;
};

// A leaf's sizes come from IrEne's own counts of FLOPs and bytes, whose formulas are known by
// class; a leaf of another class streams its bytes. A measured energy or time that is not positive
// is left out with a warning: nothing relative can be learned from it.
WorkTrees work_of(const std::vector<const DatasetTree*>& trees);

// Bytes of one of its elements: 4 where it does not say its precision, as IrEne's do not.
double element_width(const DatasetTree& tree);

// The kernel of one leaf. `flops` and `bytes` as the dataset counts them, in single units; `width`
// is that of an element, in bytes.
Work work_of_leaf(std::string_view type, double batch, double seq, double flops, double bytes,
                  double width = 4);
// The kind of kernels that are no nodes, by the name in the dataset's `ops`.
WorkKind kind_of_kernel(std::string_view op);

}  // namespace wattree
