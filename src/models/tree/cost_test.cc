// Costs by hand, for every primitive that the energy literature's model trees are made of.
#include "src/models/tree/cost.h"

#include <gtest/gtest.h>

#include "src/models/symbolic/nn.h"

namespace wattree {
namespace {

struct Figures {
  std::int64_t params, matmul_flops, flops, bytes;
  bool operator==(const Figures&) const = default;
};

void PrintTo(const Figures& f, std::ostream* out) {
  *out << "params " << f.params << ", matmul_flops " << f.matmul_flops << ", flops " << f.flops
       << ", bytes " << f.bytes;
}

// The costs of a tree that is one layer over an input of this size, in fp32.
template <class Layer>
Figures costs(DType type, const Dims& size, Layer layer) {
  Trace trace{Pass{}};
  {
    Module root(trace, "", "Root");
    layer(trace.tensor(type, size));
  }
  Result<ModelTree> tree = trace.finish();
  EXPECT_TRUE(tree.ok()) << tree.error().message;
  ModelTree costed = std::move(tree).value();
  EXPECT_TRUE(add_costs(costed).ok());
  const Node& root = costed.root();
  return {root.params, root.matmul_flops, root.flops, root.bytes};
}

Figures costs(const Dims& size, Tensor (*layer)(const Tensor&)) {
  return costs(DType::kFloat32, size, layer);
}

TEST(Cost, Linear) {
  // 6 rows of 5 through a 5 × 7 matrix and a bias.
  EXPECT_EQ(costs({2, 3, 5}, [](const Tensor& x) { return linear(x, "l", 7); }),
            (Figures{42, 2 * 6 * 5 * 7, 2 * 6 * 5 * 7 + 42, 4 * (30 + 35 + 7 + 42)}));
}
TEST(Cost, Conv1DIsALinear) {
  EXPECT_EQ(costs({2, 3, 5}, [](const Tensor& x) { return conv1d_linear(x, "l", 7); }),
            costs({2, 3, 5}, [](const Tensor& x) { return linear(x, "l", 7); }));
}
TEST(Cost, LayerNorm) {
  // Eight operations an element; mean and deviation of each of the six rows are written too.
  EXPECT_EQ(costs({2, 3, 5}, [](const Tensor& x) { return layer_norm(x, "n"); }),
            (Figures{10, 0, 8 * 30, 4 * (30 + 5 + 5 + 30 + 6 + 6)}));
}
TEST(Cost, EmbeddingReadsTheRowsItTakes) {
  const auto table = [](const Tensor& ids) { return embedding(ids, "e", 100, 4); };
  EXPECT_EQ(costs(DType::kInt64, {2, 3}, table), (Figures{400, 0, 0, 6 * 8 + 2 * 6 * 4 * 4}));
}
TEST(Cost, EmbeddingReadsNoRowTwice) {
  const auto table = [](const Tensor& ids) { return embedding(ids, "e", 2, 4); };
  EXPECT_EQ(costs(DType::kInt64, {2, 3}, table), (Figures{8, 0, 0, 6 * 8 + (2 + 6) * 4 * 4}));
}
TEST(Cost, BatchNorm1d) {
  EXPECT_EQ(costs({2, 3, 5}, [](const Tensor& x) { return batch_norm1d(x, "n"); }),
            (Figures{6, 0, 8 * 30, 4 * (30 + 4 * 3 + 30)}));
}
TEST(Cost, Conv1d) {
  // 2 × 3 × 10 by kernels of 4 with stride 2 and padding 1: 5 places, 7 channels out.
  EXPECT_EQ(costs({2, 3, 10}, [](const Tensor& x) { return conv1d(x, "c", 7, 4, 2, 1); }),
            (Figures{84 + 7, 2 * 12 * 70, 2 * 12 * 70 + 70, 4 * (60 + 84 + 7 + 70)}));
}
TEST(Cost, MaxPool1dAndAvgPool1d) {
  const Figures pooled{0, 0, 60, 4 * (60 + 2 * 3 * 5)};
  EXPECT_EQ(costs({2, 3, 10}, [](const Tensor& x) { return max_pool1d(x, "p", 2, 2); }), pooled);
  EXPECT_EQ(costs({2, 3, 10}, [](const Tensor& x) { return avg_pool1d(x, "p", 2, 2); }), pooled);
}
TEST(Cost, Lstm) {
  // 7 steps of 2 sequences of 3 features, 5 hidden: every step meets 20 × 3 and 20 × 5 weights.
  EXPECT_EQ(costs({7, 2, 3}, [](const Tensor& x) { return lstm(x, "r", 5); }),
            (Figures{60 + 100 + 40, 2 * 14 * 160, 2 * 14 * 160 + 30 * 70, 4 * (42 + 200 + 70)}));
}
TEST(Cost, MatMul) {
  EXPECT_EQ(costs({4, 3, 5}, [](const Tensor& x) { return bmm(x, x.transpose(1, 2)); }),
            (Figures{0, 2 * 4 * 3 * 5 * 3, 2 * 4 * 3 * 5 * 3, 4 * (60 + 60 + 36)}));
}
TEST(Cost, Softmax) {
  EXPECT_EQ(costs({4, 3, 5}, [](const Tensor& x) { return softmax(x); }),
            (Figures{0, 0, 5 * 60, 4 * 120}));
}

TEST(Cost, Activations) {
  const auto flops = [](std::string_view function) {
    return costs(DType::kFloat32, {10},
                 [&](const Tensor& x) { return activation(x, "a", function); })
        .flops;
  };
  EXPECT_EQ(flops("tanh"), 10);
  EXPECT_EQ(flops("relu"), 10);
  EXPECT_EQ(flops("sigmoid"), 40);
  EXPECT_EQ(flops("gelu"), 50);
  EXPECT_EQ(flops("leaky_relu"), 20);
  EXPECT_EQ(flops("silu"), 50);
  EXPECT_EQ(flops("gelu_new"), 80);  // Eight kernels of one operation each.
}

TEST(Cost, LogSigmoid) {
  EXPECT_EQ(costs({10}, [](const Tensor& x) { return unary(Op::kLogSigmoid, x); }).flops, 40);
}

TEST(Cost, BroadcastInputsAreReadOnce) {
  const auto add_row = [](const Tensor& x) {
    return x + x.trace->tensor(DType::kFloat32, {1, 5}).expand({6, 5});
  };
  EXPECT_EQ(costs({6, 5}, add_row), (Figures{0, 0, 30, 4 * (30 + 5 + 30)}));
}

TEST(Cost, TiedWeightsCountOnceWhereBothAreSeen) {
  Trace trace{Pass{}};
  {
    Module root(trace, "", "Root");
    Tensor table;
    const Tensor ids = trace.tensor(DType::kInt64, {1, 2});
    Tensor x;
    {
      Module inner(trace, "inner", "Inner");
      x = inner.returns(embedding(ids, "words", 10, 4, &table));
    }
    tied_linear(x, "head", table);
  }
  ModelTree tree = std::move(trace.finish()).value();
  ASSERT_TRUE(add_costs(tree).ok());
  EXPECT_EQ(tree.root().params, 40);
  for (const Node& node : tree.nodes()) EXPECT_EQ(node.params, 40) << node.scope;
}

TEST(Cost, AModuleThatRunsAgainHasItsWeightsOnce) {
  Trace trace{Pass{}};
  {
    Module root(trace, "", "Root");
    Tensor x = trace.tensor(DType::kFloat32, {3, 4});
    for (int run = 0; run < 3; ++run) {
      Module layer(trace, "layer", "Layer", Module::Kind::kModule, run);
      x = layer.returns(linear(x, "dense", 4));
    }
    linear(x, "last", 4);
  }
  ModelTree tree = std::move(trace.finish()).value();
  ASSERT_TRUE(add_costs(tree).ok());
  EXPECT_EQ(tree.root().params, 2 * 20);
  EXPECT_EQ(tree.root().matmul_flops, 4 * 2 * 3 * 4 * 4);
}

TEST(Cost, ExpertsAtWork) {
  EXPECT_DOUBLE_EQ(experts_at_work(8, 2, 2), 2);    // One token has two of its own.
  EXPECT_DOUBLE_EQ(experts_at_work(8, 4, 2), 3.5);  // Another shares a quarter of them.
  EXPECT_DOUBLE_EQ(experts_at_work(8, 1, 1), 1);
  EXPECT_NEAR(experts_at_work(8, 1000, 2), 8, 1e-9);
  EXPECT_DOUBLE_EQ(experts_at_work(4, 4, 4), 4);
  EXPECT_EQ(experts_at_work(0, 8, 2), 0);
}

}  // namespace
}  // namespace wattree
