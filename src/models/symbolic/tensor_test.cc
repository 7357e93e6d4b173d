// What PyTorch says of the same views: strides by hand from its documentation of view(), and
// checked there.
#include "src/models/symbolic/tensor.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/models/symbolic/ops.h"
#include "src/models/symbolic/trace.h"

namespace wattree {
namespace {

class TensorTest : public testing::Test {
 protected:
  std::size_t kernels() {
    module_.reset();
    Result<ModelTree> tree = trace_.finish();
    EXPECT_TRUE(tree.ok());
    return tree.ok() ? tree.value().nodes().size() - 1 : 0;  // Less the root.
  }
  Tensor make(const Dims& size) { return trace_.tensor(DType::kFloat32, size); }

  Trace trace_{Pass{}};
  std::optional<Module> module_{std::in_place, trace_, "", "Root"};
};

TEST_F(TensorTest, ContiguousStridesCountElements) {
  EXPECT_EQ(make({2, 3, 4}).stride, (Dims{12, 4, 1}));
}

TEST_F(TensorTest, SplittingHeadsIsFree) {
  const Tensor heads = make({2, 8, 32}).view({2, 8, 4, 8}).transpose(1, 2);
  EXPECT_EQ(heads.size, (Dims{2, 4, 8, 8}));
  EXPECT_EQ(heads.stride, (Dims{256, 8, 32, 1}));
  EXPECT_FALSE(heads.is_contiguous());
  EXPECT_EQ(kernels(), 0u);
}

TEST_F(TensorTest, MergingTransposedHeadsCopies) {
  make({2, 8, 4, 8}).transpose(1, 2).reshape({8, 8, 8});
  EXPECT_EQ(kernels(), 1u);
}

TEST_F(TensorTest, MergingThemForABatchOfOneIsFree) {
  make({1, 8, 4, 8}).transpose(1, 2).reshape({4, 8, 8});
  EXPECT_EQ(kernels(), 0u);
}

TEST_F(TensorTest, ExpandedDimensionsHaveNoStride) {
  const Tensor mask = make({1, 1, 8, 8}).expand({2, 4, -1, -1});
  EXPECT_EQ(mask.size, (Dims{2, 4, 8, 8}));
  EXPECT_EQ(mask.stride, (Dims{0, 0, 8, 1}));
}

TEST_F(TensorTest, SlicesKeepTheirStrides) {
  const Tensor half = make({2, 8, 32}).slice(-1, 16, 32);
  EXPECT_EQ(half.size, (Dims{2, 8, 16}));
  EXPECT_EQ(half.stride, (Dims{256, 32, 1}));
  EXPECT_EQ(make({2, 8}).slice(1, -3, 8).size, (Dims{2, 3}));
  EXPECT_EQ(make({2, 8}).slice(1, 5, 3).size, (Dims{2, 0}));
}

TEST_F(TensorTest, ElementwiseResultsKeepTheMemoryOrderOfTheirInputs) {
  const Tensor heads = make({2, 8, 4, 8}).transpose(1, 2);
  const Tensor cos = make({1, 1, 8, 8});
  EXPECT_EQ((heads * cos).stride, heads.stride);
  EXPECT_EQ((cos * heads).stride, heads.stride);
}

TEST_F(TensorTest, ViewsThatStridesDoNotAllowFailTheTrace) {
  make({2, 8, 4, 8}).transpose(1, 2).view({8, 8, 8});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(TensorTest, SizesThatDoNotMultiplyFailTheTrace) {
  make({2, 3}).reshape({4, -1});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(TensorTest, AFailedTraceStaysFailedAndHarmless) {
  const Tensor broken = make({2, 3}).view({7});
  const Tensor more = matmul(broken, make({5, 5})).transpose(0, 1);
  scaled_dot_product_attention(more, more, more, {});
  module_.reset();
  const Result<ModelTree> tree = trace_.finish();
  ASSERT_FALSE(tree.ok());
  EXPECT_NE(tree.error().message.find("[2, 3]"), std::string::npos) << tree.error().message;
}

TEST_F(TensorTest, MoreInputsThanANodeCanCountFailTheTrace) {
  const Tensor part = make({2, 3});
  std::vector<const Tensor*> parts(255, &part);
  EXPECT_EQ(cat(parts, 0).size, (Dims{510, 3}));
  EXPECT_FALSE(trace_.failed());
  parts.push_back(&part);
  cat(parts, 0);
  module_.reset();
  const Result<ModelTree> tree = trace_.finish();
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().message,
            "cat at \"\" would have 256 tensors; an operation has at most 255");
}

TEST_F(TensorTest, MatmulCopiesOnlyWhatItMust) {
  const Tensor q = make({2, 8, 4, 8}).transpose(1, 2);
  const Tensor k = make({2, 4, 8, 8});
  matmul(q, k.transpose(2, 3));  // q is copied; a transposed contiguous k folds as it is.
  EXPECT_EQ(kernels(), 2u);
}

}  // namespace
}  // namespace wattree
