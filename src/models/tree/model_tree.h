// The model tree: every module of a model and every kernel its forward pass runs, in one flat
// post-order array.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/models/tree/dims.h"
#include "src/models/tree/dtype.h"
#include "src/models/tree/op.h"
#include "src/models/tree/text_blocks.h"

namespace wattree {

// What goes into or comes out of a kernel.
struct Operand {
  Operand(const Dims& sizes, std::int64_t in_memory, DType type, bool weight,
          std::int32_t lies_in = -1)
      : size(sizes), touched(in_memory), dtype(type), is_weight(weight), storage(lies_in) {}

  Shape size;
  std::int64_t touched;  // Elements in memory: an expanded dimension is there, and moved, once.
  DType dtype;
  bool is_weight;
  // Equal for all that share memory; of weights: weight_storage(id). -1: not known.
  std::int32_t storage;
};

// Where in its storage an operand lies: what it takes to run a kernel with the buffers it would
// have.
struct Placement {
  std::int64_t offset;  // Of the first element, in elements.
  Dims stride;
};
constexpr std::int32_t weight_storage(std::int32_t parameter) { return -2 - parameter; }

// What decides between a quick kernel and a slow one besides sizes.
enum Layout : std::uint8_t {
  kStridedInput = 1,      // An activation that is no contiguous block: a transposed view, a slice.
  kTransposedWeight = 2,  // A weight matrix that is read along its columns, as nn.Linear's is.
  kReorderedInput = 4,  // An activation of the size of what comes out, in another order in memory.
  kCrossedInput = 8,    // One that is read with gaps where what comes out is written without.
};

struct Node {
  static constexpr std::size_t kMaxOperands = 255;  // As many inputs, and as many outputs.

  Node(std::int32_t begin, const Dims& size) : first(begin), shape(size) {}

  std::string_view
      scope;  // Dotted path of a module ("" for the root); "parent:op" or "parent:op.k" for an op.
  std::string_view type;  // Class of the module, or the op.
  std::int32_t parent = -1;
  std::int32_t first;  // The subtree is [first, this node]: post-order.
  std::int32_t run =
      -1;  // Which call this is of a module that runs more than once; -1: it runs once.
  Level level : 4 = Level::kModule;
  std::uint8_t layout : 4 = 0;  // Of Layout: how its inputs lie in memory.
  Op op = Op::kNone;
  std::uint8_t inputs = 0;  // Operands: first the inputs, then the outputs.
  std::uint8_t outputs = 0;
  std::uint32_t operands = 0;  // Where they begin in the tree's list.
  Shape shape;                 // Of the (first) output.
  // Filled by cost(): see src/models/tree/cost.h for what they count.
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
  bool is_matrix = true;  // Of two dimensions or more: those that integers stand for.
};

// Memory that is there before the pass, and after it.
enum class Held : std::uint8_t {
  kInput,   // Ids, pixels.
  kBuffer,  // What a module holds besides its weights.
  kCache,   // Keys and values of the past.
};
struct HeldStorage {
  std::int32_t storage = 0;
  Held held = Held::kInput;
  std::int64_t bytes = 0;
};

// Memory that is not freed after its last use, because a variable still holds it: not before node
// `until` has run.
struct KeptStorage {
  std::int32_t storage = 0;
  std::int32_t until = 0;
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
  std::span<const HeldStorage> held() const { return held_; }
  std::span<const KeptStorage> kept() const { return kept_; }

  // --- dataflow, only in trees that are to be run: where operands lie (inputs, then outputs), and
  // the numbers a kernel is called with (dimensions, flags, factors), as models/symbolic has them.
  std::span<const Placement> placements(const Node& node) const {
    return std::span(placements_).subspan(node.operands, std::size_t{node.inputs} + node.outputs);
  }
  std::span<const double> numbers(const Node& node) const;

  // Children of the node at `index`, in order, appended to `out`.
  void children(std::int32_t index, std::vector<std::int32_t>& out) const;

  // --- for builders ---
  // Room for a large model. It costs addresses, not memory, and spares every tree the copying of
  // growth.
  void reserve();
  // A new node, to be filled in. The nodes from `first` on that have no parent yet are its
  // children.
  Node& append(std::int32_t first, const Dims& shape) {
    const std::int32_t index = node_count();
    // Those are the roots of the subtrees that tile [first, index): walk them from the right.
    for (std::int32_t child = index - 1; child >= first; child = at(child).first - 1) {
      at(child).parent = index;
    }
    return nodes_.emplace_back(first, shape);
  }
  void append_operand(const Dims& size, std::int64_t touched, DType dtype, bool is_weight,
                      std::int32_t storage = -1) {
    operands_.emplace_back(size, touched, dtype, is_weight, storage);
  }
  void append_placement(std::int64_t offset, const Dims& stride) {
    placements_.push_back({offset, stride});
  }
  void append_numbers(const Node& node, std::span<const double> numbers);
  std::int32_t node_count() const { return static_cast<std::int32_t>(nodes_.size()); }
  std::uint32_t operand_count() const { return static_cast<std::uint32_t>(operands_.size()); }
  void append_parameter(ParameterUse use) { parameters_.push_back(use); }
  void append_held(HeldStorage held) { held_.push_back(held); }
  void append_kept(KeptStorage kept) { kept_.push_back(kept); }
  // A copy of these pieces, joined, that lives as long as the tree.
  std::string_view keep(std::string_view text, std::string_view more = {},
                        std::string_view last = {}) {
    return text_.join(text, more, last);
  }

  Precision precision = Precision::kFp32;
  std::int64_t experts_per_token = 1;  // Where rows are dealt out to experts.
  bool has_dataflow = false;
  bool is_recorded = false;  // Its kernels were seen running, and are known by their order.

 private:
  Node& at(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }

  std::vector<Node> nodes_;
  std::vector<Operand> operands_;
  std::vector<ParameterUse> parameters_;
  std::vector<HeldStorage> held_;
  std::vector<KeptStorage> kept_;
  std::vector<Placement> placements_;  // One for each operand, or none at all.
  std::vector<double> numbers_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      number_places_;  // Index of a node, and where its begin.
  TextBlocks text_;
};

}  // namespace wattree
