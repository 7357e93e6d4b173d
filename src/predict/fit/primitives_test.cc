#include "src/predict/fit/primitives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/models/tree/distinct.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

ModelTree primitives(const PrimitiveLimits& limits) {
  Result<ModelTree> tree = primitive_tree(Precision::kBf16, limits);
  EXPECT_TRUE(tree.ok());
  return std::move(tree).value();
}

TEST(Primitives, HaveEveryKindAndStayWithinLimits) {
  const ModelTree tree = primitives({1e11, 1e9});
  std::set<std::string_view> ops;
  for (const Node& node : tree.nodes()) {
    if (node.op == Op::kNone) continue;
    ops.insert(facts_of(node.op).aten);
    EXPECT_LE(node.matmul_flops, 2e11) << node.scope;
    EXPECT_LE(node.bytes, 2e9) << node.scope;
  }
  for (const char* op :
       {"addmm", "mm", "bmm", "scaled_dot_product_attention", "_softmax", "native_layer_norm",
        "mean", "add", "mul", "gelu", "silu", "_to_copy", "cat", "clone", "zeros", "embedding"}) {
    EXPECT_EQ(ops.count(op), 1U) << op;
  }
  EXPECT_TRUE(tree.has_dataflow);
  // No two do the same.
  const DistinctNodes distinct = distinct_nodes(tree);
  EXPECT_EQ(distinct.nodes.size(), tree.nodes().size());
}

TEST(Primitives, TheMostTellingComeFirst) {
  const ModelTree tree = primitives({});
  const std::vector<double> weights = information_of(tree);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (tree.nodes()[i].op != Op::kNone) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  // The first thirty have some of every kind, and products from the smallest to a large one.
  std::set<WorkKind> kinds, first;
  double least = 1e18;
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = tree.nodes()[order[i]];
    const WorkKind kind = kernel_kind(work_of(tree, node));
    kinds.insert(kind);
    if (i >= 30) continue;
    first.insert(kind);
    if (kind != WorkKind::kLinear16) continue;
    least = std::min(least, static_cast<double>(node.flops));
    most = std::max(most, static_cast<double>(node.flops));
  }
  EXPECT_EQ(first, kinds);
  for (const WorkKind kind :
       {WorkKind::kLinear16, WorkKind::kBatched16, WorkKind::kFused16, WorkKind::kFusedStep16,
        WorkKind::kSoftmaxRows, WorkKind::kNormRows, WorkKind::kReduction, WorkKind::kCast,
        WorkKind::kJoin, WorkKind::kStridedJoin, WorkKind::kRearrange, WorkKind::kPointwise,
        WorkKind::kFunction, WorkKind::kFill, WorkKind::kLookup}) {
    EXPECT_TRUE(kinds.contains(kind)) << name_of(kind);
  }
  EXPECT_GT(most / least, 1e3);
  std::set<double> ranks(weights.begin(), weights.end());
  EXPECT_EQ(ranks.size(), order.size() + 1);  // Each its own, and 0 for the root.
}

}  // namespace
}  // namespace wattree
