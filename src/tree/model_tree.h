// The model tree: every module of a model and every kernel its forward pass runs, in one flat
// post-order array.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "src/tree/dims.h"
#include "src/tree/dtype.h"
#include "src/tree/op.h"

namespace wattree {

// What goes into or comes out of a kernel.
struct Operand {
  Shape size;
  std::int64_t touched =
      0;  // Elements in memory: an expanded dimension is stored, read and written once.
  DType dtype = DType::kFloat32;
  bool is_weight = false;
};

struct Node {
  std::string_view
      scope;  // Dotted path of a module ("" for the root); "parent:op" or "parent:op.k" for an op.
  std::string_view type;  // Class of the module, or the op.
  std::int32_t parent = -1;
  std::int32_t first = 0;  // The subtree is [first, this node]: post-order.
  std::int32_t run =
      -1;  // Which call this is of a module that runs more than once; -1: it runs once.
  Level level = Level::kModule;
  Op op = Op::kNone;
  std::uint8_t inputs = 0;  // Operands: first the inputs, then the outputs.
  std::uint8_t outputs = 0;
  std::uint32_t operands = 0;  // Where they begin in the tree's list.
  Shape shape;                 // Of the (first) output.
  // Filled by cost(): see src/cost/cost.h for what they count.
  std::int64_t params = 0;
  std::int64_t flops = 0;
  std::int64_t matmul_flops = 0;
  std::int64_t bytes = 0;
};

// One parameter tensor held by one node. Tied weights share an id.
struct ParameterUse {
  std::int32_t id = 0;
  std::int32_t node = 0;
  std::int64_t elements = 0;
};

class ModelTree {
 public:
  ModelTree() = default;
  ModelTree(ModelTree&&) = default;
  ModelTree& operator=(ModelTree&&) = default;

  std::span<const Node> nodes() const { return nodes_; }
  std::span<Node> nodes() { return nodes_; }
  const Node& root() const { return nodes_.back(); }
  bool is_leaf(const Node& node) const { return nodes_.data() + node.first == &node; }

  std::span<const Operand> inputs(const Node& node) const {
    return std::span(operands_).subspan(node.operands, node.inputs);
  }
  std::span<const Operand> outputs(const Node& node) const {
    return std::span(operands_).subspan(node.operands + node.inputs, node.outputs);
  }
  std::span<const ParameterUse> parameters() const { return parameters_; }

  // Children of the node at `index`, in order, appended to `out`.
  void children(std::int32_t index, std::vector<std::int32_t>& out) const;

  // --- for builders ---
  // Room for a large model. It costs addresses, not memory, and spares every tree the copying of
  // growth.
  void reserve();
  std::int32_t append(Node node);  // Its children must be in already.
  void append_operand(const Operand& operand) { operands_.push_back(operand); }
  std::uint32_t operand_count() const { return static_cast<std::uint32_t>(operands_.size()); }
  void append_parameter(ParameterUse use) { parameters_.push_back(use); }
  // A copy of these pieces, joined, that lives as long as the tree.
  std::string_view keep(std::string_view text, std::string_view more = {},
                        std::string_view last = {});

  Precision precision = Precision::kFp32;

 private:
  std::vector<Node> nodes_;
  std::vector<Operand> operands_;
  std::vector<ParameterUse> parameters_;
  // Behind a pointer, so that the views stay good when the tree moves.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> text_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>(16 * 1024);
};

}  // namespace wattree
