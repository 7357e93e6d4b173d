// The framework's functions on symbolic tensors: sizes, types and the kernels they run, against
// hand arithmetic and PyTorch's documented rules of type promotion.
#include "src/models/symbolic/ops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/models/symbolic/trace.h"

namespace wattree {
namespace {

class OpsTest : public testing::Test {
 protected:
  Tensor make(const Dims& size, DType type = DType::kFloat32) { return trace_.tensor(type, size); }

  // Names of the kernels so far, in order.
  std::vector<std::string> kernels() {
    tree();
    std::vector<std::string> names;
    for (const Node& node : tree_->nodes()) {
      if (node.op != Op::kNone) names.emplace_back(facts_of(node.op).aten);
    }
    return names;
  }
  // Elements that the first kernel reads of each of its inputs.
  std::vector<std::int64_t> touched() {
    std::vector<std::int64_t> out;
    for (const Operand& input : tree().inputs(tree().nodes()[0])) out.push_back(input.touched);
    return out;
  }
  const ModelTree& tree() {
    if (!tree_) {
      module_.reset();
      Result<ModelTree> finished = trace_.finish();
      EXPECT_TRUE(finished.ok());
      tree_ = finished.ok() ? std::move(finished).value() : ModelTree();
    }
    return *tree_;
  }

  Trace trace_{Pass{}};
  std::optional<Module> module_{std::in_place, trace_, "", "Root"};
  std::optional<ModelTree> tree_;
};

using Names = std::vector<std::string>;

TEST_F(OpsTest, BroadcastingMakesTheLargerSizeAndReadsTheSmallerOnce) {
  const Tensor sum = make({4, 1, 6}) + make({5, 6});
  EXPECT_EQ(sum.size, (Dims{4, 5, 6}));
  EXPECT_EQ(sum.stride, (Dims{30, 6, 1}));
  EXPECT_EQ(touched(), (std::vector<std::int64_t>{24, 30}));
}

TEST_F(OpsTest, AnExpandedOperandIsReadOnce) {
  clone(make({1, 6}).expand({4, 6}));
  EXPECT_EQ(touched(), (std::vector<std::int64_t>{6}));
}

TEST_F(OpsTest, SizesThatDoNotFitFailTheTrace) {
  make({2, 3}) + make({2});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(OpsTest, TypesArePromotedAsPyTorchDocumentsIt) {
  const auto type = [&](DType a, const Dims& size_a, DType b, const Dims& size_b) {
    return binary(Op::kAdd, make(size_a, a), make(size_b, b)).dtype;
  };
  EXPECT_EQ(type(DType::kBfloat16, {2}, DType::kFloat32, {2}), DType::kFloat32);
  EXPECT_EQ(type(DType::kBfloat16, {2}, DType::kFloat16, {2}), DType::kFloat32);
  EXPECT_EQ(type(DType::kInt64, {2}, DType::kBfloat16, {2}), DType::kBfloat16);
  EXPECT_EQ(type(DType::kInt32, {2}, DType::kInt64, {2}), DType::kInt64);
  EXPECT_EQ(type(DType::kBool, {2}, DType::kInt64, {}), DType::kInt64);
  EXPECT_EQ(type(DType::kBool, {2}, DType::kInt8, {2}), DType::kInt8);
  // A number without dimensions widens none with them, unless it is of another category.
  EXPECT_EQ(type(DType::kFloat32, {}, DType::kBfloat16, {2}), DType::kBfloat16);
  EXPECT_EQ(type(DType::kFloat32, {}, DType::kInt64, {2}), DType::kFloat32);
}

TEST_F(OpsTest, ComparingGivesTruthValuesAndDividingWholeNumbersFractions) {
  EXPECT_EQ(predicate(Op::kLt, make({3}), make({2, 1})).dtype, DType::kBool);
  EXPECT_EQ(predicate(Op::kLt, make({3}), make({2, 1})).size, (Dims{2, 3}));
  EXPECT_EQ((make({3}, DType::kInt64) / 2).dtype, DType::kFloat32);
  EXPECT_EQ((make({3}, DType::kInt64) * 2).dtype, DType::kInt64);
  EXPECT_EQ((make({3}, DType::kBfloat16) / 2).dtype, DType::kBfloat16);
}

TEST_F(OpsTest, WhatIsDoneInPlaceIsTheSameTensor) {
  const Tensor x = make({2, 3});
  const Tensor same = in_place(Op::kAddInPlace, x, make({3}));
  EXPECT_EQ(same.storage, x.storage);
  EXPECT_NE((x + 1).storage, x.storage);
}

TEST_F(OpsTest, JoiningAddsSizesAlongOneDimension) {
  const Tensor a = make({2, 3, 4});
  const Tensor b = make({2, 5, 4});
  EXPECT_EQ(cat({&a, &b, &a}, 1).size, (Dims{2, 11, 4}));
  EXPECT_EQ(cat({&a, &b}, -2).size, (Dims{2, 8, 4}));
  EXPECT_EQ(stack({&a, &a}, 0).size, (Dims{2, 2, 3, 4}));
  EXPECT_EQ(stack({&a, &a, &a}, -1).size, (Dims{2, 3, 4, 3}));
  EXPECT_EQ(kernels(), (Names{"cat", "cat", "stack", "stack"}));
}

TEST_F(OpsTest, JoiningReadsNoEmptyPart) {
  const Tensor none = make({2, 0, 4});
  const Tensor some = make({2, 3, 4});
  EXPECT_EQ(cat({&none, &some}, 1).size, (Dims{2, 3, 4}));
  EXPECT_EQ(touched(), (std::vector<std::int64_t>{24}));
}

TEST_F(OpsTest, JoiningTensorsOfDifferentRanksFailsTheTrace) {
  const Tensor a = make({2, 3});
  const Tensor b = make({3});
  cat({&a, &b}, 0);
  EXPECT_TRUE(trace_.failed());
}

TEST_F(OpsTest, RepeatingAndPaddingMultiplyAndAdd) {
  EXPECT_EQ(repeat(make({2, 3}), {4, 1, 5}).size, (Dims{4, 2, 15}));
  EXPECT_EQ(pad_last(make({2, 6}), 1, 3).size, (Dims{2, 10}));
}

TEST_F(OpsTest, CopiesKeepTheOrderOfMemoryOnlyWhereTheyAreAskedTo) {
  const Tensor x = make({4, 6}).t();
  EXPECT_EQ(clone(x).stride, (Dims{4, 1}));
  EXPECT_EQ(clone_keeping_layout(x).stride, (Dims{1, 6}));
  EXPECT_EQ(to_copy(x, DType::kBfloat16).stride, (Dims{1, 6}));
  EXPECT_EQ(x.contiguous().stride, (Dims{4, 1}));
  EXPECT_EQ(x.to(DType::kFloat32).storage, x.storage);  // It is one already.
  EXPECT_EQ(kernels(), (Names{"clone", "clone", "_to_copy", "clone"}));
}

TEST_F(OpsTest, ReducingKeepsOrDropsADimension) {
  EXPECT_EQ(reduce(Op::kMean, make({2, 3, 4}), -1, true).size, (Dims{2, 3, 1}));
  EXPECT_EQ(reduce(Op::kMean, make({2, 3, 4}), 1, false).size, (Dims{2, 4}));
  EXPECT_EQ(reduce(Op::kArgmax, make({2, 3}), -1, false).dtype, DType::kInt64);
  EXPECT_EQ(reduce(Op::kSum, make({2, 3}, DType::kBool), -1, false).dtype, DType::kInt64);
  EXPECT_EQ(cumsum(make({4}, DType::kInt32)).dtype, DType::kInt64);
  EXPECT_EQ(topk(make({2, 8}), 3).values.size, (Dims{2, 3}));
  EXPECT_EQ(topk(make({2, 8}), 3).places.dtype, DType::kInt64);
}

TEST_F(OpsTest, ASoftmaxOfHalvesInFullIsOneKernelOnlyForFp16) {
  EXPECT_EQ(softmax_f32(make({2, 4}, DType::kFloat16)).dtype, DType::kFloat32);
  EXPECT_EQ(softmax_f32(make({2, 4}, DType::kBfloat16)).dtype, DType::kFloat32);
  EXPECT_EQ(kernels(), (Names{"_softmax", "_to_copy", "_softmax"}));
}

TEST_F(OpsTest, IndicesTakeThePlaceOfLeadingDimensions) {
  const Tensor rows = make({4, 1}, DType::kInt64);
  const Tensor columns = make({5}, DType::kInt64);
  EXPECT_EQ(index(make({9, 8, 7}), {&rows, &columns}).size, (Dims{4, 5, 7}));
  EXPECT_EQ(index(make({9, 8, 7}), {&columns}).size, (Dims{5, 8, 7}));
  EXPECT_EQ(pick(make({9, 8, 7}), -2).size, (Dims{9, 1, 7}));
  EXPECT_EQ(gather(make({9, 8}), make({9, 2}, DType::kInt64)).size, (Dims{9, 2}));
}

TEST_F(OpsTest, MatricesFoldTheirLeadingDimensionsIntoRows) {
  EXPECT_EQ(matmul(make({2, 3, 4}), make({4, 5})).size, (Dims{2, 3, 5}));
  EXPECT_EQ(kernels(), (Names{"mm"}));
  EXPECT_EQ(tree().nodes()[0].shape, Shape(Dims{6, 5}));
}

TEST_F(OpsTest, BatchesOfMatricesAreBroadcastByCopies) {
  // Two batches of three, and one matrix for each of the three: it is repeated for the two.
  EXPECT_EQ(matmul(make({2, 3, 4, 5}), make({3, 5, 6})).size, (Dims{2, 3, 4, 6}));
  EXPECT_EQ(kernels(), (Names{"clone", "bmm"}));
}

TEST_F(OpsTest, MatricesWhoseInnerSizesDifferFailTheTrace) {
  matmul(make({2, 3}), make({4, 5}));
  EXPECT_TRUE(trace_.failed());
}

TEST_F(OpsTest, ABatchOfAnotherSizeFailsTheTrace) {
  matmul(make({2, 3, 4}), make({3, 4, 5}));
  EXPECT_TRUE(trace_.failed());
}

}  // namespace
}  // namespace wattree
