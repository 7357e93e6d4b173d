// For tests only: a model of two equal blocks and a norm, of three kinds of kernels.
#pragma once

#include <string_view>

#include "src/models/tree/model_tree.h"

namespace wattree {

inline std::int32_t add_leaf(ModelTree& tree, std::string_view scope, std::string_view type, Op op,
                             std::initializer_list<Dims> inputs, const Dims& output) {
  const auto index = tree.node_count();
  const std::uint32_t operands = tree.operand_count();
  std::uint8_t count = 0;
  for (const Dims& input : inputs) {
    // The second and later ones are weights.
    tree.append_operand(input, element_count(input), DType::kFloat32, count > 0);
    ++count;
  }
  tree.append_operand(output, element_count(output), DType::kFloat32, false);
  Node& node = tree.append(index, output);
  node.scope = scope;
  node.type = type;
  node.op = op;
  node.level = facts_of(op).level;
  node.inputs = count;
  node.outputs = 1;
  node.operands = operands;
  return index;
}

inline void add_module(ModelTree& tree, std::int32_t first, std::string_view scope,
                       std::string_view type, const Dims& shape, Level level = Level::kModule) {
  Node& node = tree.append(first, shape);
  node.scope = scope;
  node.type = type;
  node.level = level;
}

// Nodes, in order: 0 addmm, 1 gelu, 2 Activation, 3 Block, 4 addmm, 5 gelu, 6 Activation, 7 Block,
// 8 LayerNorm, 9 the model. Distinct: addmm, gelu, Block, LayerNorm, model.
inline ModelTree small_tree() {
  ModelTree tree;
  const Dims x{8, 16};
  const Dims wide{8, 64};
  for (const std::string_view block : {"0", "1"}) {
    const auto first = tree.node_count();
    add_leaf(tree, tree.keep(block, ".up"), "Linear", Op::kAddmm, {x, {16, 64}}, wide);
    const auto gelu =
        add_leaf(tree, tree.keep(block, ".act:gelu"), "gelu", Op::kGelu, {wide}, wide);
    add_module(tree, gelu, tree.keep(block, ".act"), "Activation", wide, Level::kMl);
    add_module(tree, first, tree.keep(block), "Block", wide);
  }
  add_leaf(tree, "norm", "LayerNorm", Op::kLayerNorm, {x}, x);
  add_module(tree, 0, "", "SmallModel", x, Level::kModel);
  return tree;
}

}  // namespace wattree
