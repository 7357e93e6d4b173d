// Where the energy of a prediction goes, other than by the tree: by kind, or the largest nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/units.h"
#include "src/models/tree/model_tree.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

enum class BreakdownBy {
  kType,    // Building blocks: Linear, LayerNorm, MatMul; kernels outside of any, by their op.
  kModule,  // Innermost modules with building blocks in them, as IrEne's Tables 10 and 12 have it.
  kOp,      // Kernels by the framework's name of their op: addmm, bmm, gelu.
};
std::string_view name_of(BreakdownBy by);
std::optional<BreakdownBy> parse_breakdown(std::string_view text);

// Nodes that belong together. Shares of one list add up to one.
struct NodeGroup {
  std::string name;  // The type, the op, or a scope with "*" for the numbers of layers.
  std::string type;  // Of the nodes, where `name` is a scope.
  std::int64_t count = 0;
  Joules energy = {};
  Seconds time = {};
  double share = 0;
  bool is_rest = false;  // What belongs to no group; the name says what it is.
};

struct Breakdown {
  BreakdownBy by = BreakdownBy::kType;
  std::vector<NodeGroup> groups;  // Largest energy first; the rest, where there is one, last.
};

Breakdown break_down(const ModelTree& tree, const std::vector<NodeEstimate>& nodes, BreakdownBy by);

// "encoder.layer.11.output" -> "encoder.layer.*.output"
std::string without_numbers(std::string_view scope);

// The `count` largest by own energy. Layers that are alike but for their number are one entry,
// unless `unfolds`.
std::vector<NodeGroup> top_nodes(const ModelTree& tree, const std::vector<NodeEstimate>& nodes,
                                 std::size_t count, bool unfolds);

}  // namespace wattree
