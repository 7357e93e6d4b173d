// Views, strides and broadcasting against hand arithmetic. A stride is how many elements lie
// between two neighbours along a dimension; what PyTorch documents of view(), expand() and
// TensorIterator follows from that.
#include <gtest/gtest.h>

#include "src/models/symbolic/tensor.h"
#include "src/models/symbolic/trace.h"

namespace wattree {
namespace {

class ViewsTest : public testing::Test {
 protected:
  Tensor make(const Dims& size) { return trace_.tensor(DType::kFloat32, size); }
  Trace trace_{Pass{}};
};

TEST_F(ViewsTest, StridesOfAnEmptyOrSingleDimensionGoOnAsIfItWereOne) {
  EXPECT_EQ(contiguous_strides({2, 0, 3}), (Dims{3, 3, 1}));
  EXPECT_EQ(contiguous_strides({5, 1, 3}), (Dims{3, 3, 1}));
  EXPECT_EQ(contiguous_strides({}), (Dims{}));
}

TEST_F(ViewsTest, ADimensionOfOneNeverBreaksContiguity) {
  Tensor x = make({4, 1, 3});
  x.stride = {3, 999, 1};
  EXPECT_TRUE(x.is_contiguous());
  x.stride = {4, 999, 1};
  EXPECT_FALSE(x.is_contiguous());
}

TEST_F(ViewsTest, AViewSplitsAndMergesWithinRunsOfMemory) {
  EXPECT_EQ(make({6, 4}).view({2, 3, 4}).stride, (Dims{12, 4, 1}));
  EXPECT_EQ(make({2, 3, 4}).view({-1, 4}).size, (Dims{6, 4}));
  EXPECT_EQ(make({2, 3, 4}).view({24}).stride, (Dims{1}));
  // Rows of 4 in memory of 10: the rows can be split, but not merged with their columns.
  const Tensor part = make({6, 10}).slice(1, 0, 4);
  EXPECT_EQ(part.view({2, 3, 4}).stride, (Dims{30, 10, 1}));
  EXPECT_EQ(part.view({6, 2, 2}).stride, (Dims{10, 2, 1}));
  Dims stride;
  EXPECT_FALSE(view_strides(part, {24}, stride));
  EXPECT_FALSE(view_strides(part, {3, 8}, stride));
  EXPECT_FALSE(trace_.failed());
}

TEST_F(ViewsTest, AViewOfASingleNumberHasAnyNumberOfOnes) {
  const Tensor one = make({}).view({1, 1});
  EXPECT_EQ(one.size, (Dims{1, 1}));
  EXPECT_EQ(one.stride, (Dims{1, 1}));
}

TEST_F(ViewsTest, TransposingTwiceIsWhereItWas) {
  const Tensor x = make({2, 3, 5});
  EXPECT_EQ(x.transpose(0, 2).size, (Dims{5, 3, 2}));
  EXPECT_EQ(x.transpose(0, 2).stride, (Dims{1, 5, 15}));
  EXPECT_EQ(x.transpose(0, 2).transpose(-1, 0).stride, x.stride);
  EXPECT_EQ(make({3, 5}).t().stride, (Dims{1, 5}));
}

TEST_F(ViewsTest, PermutingMovesStridesWithTheirSizes) {
  const Tensor x = make({2, 3, 4, 5}).permute({0, 2, 3, 1});
  EXPECT_EQ(x.size, (Dims{2, 4, 5, 3}));
  EXPECT_EQ(x.stride, (Dims{60, 5, 1, 20}));
  EXPECT_EQ(make({2, 3}).permute({-1, 0}).stride, (Dims{1, 3}));
  make({2, 3}).permute({0});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(ViewsTest, ANewDimensionOfOneSpansWhatComesAfterIt) {
  const Tensor x = make({4, 6});
  EXPECT_EQ(x.unsqueeze(0).stride, (Dims{24, 6, 1}));
  EXPECT_EQ(x.unsqueeze(1).stride, (Dims{6, 6, 1}));
  EXPECT_EQ(x.unsqueeze(-1).size, (Dims{4, 6, 1}));
  EXPECT_EQ(x.unsqueeze(-1).stride, (Dims{6, 1, 1}));
  EXPECT_EQ(x.unsqueeze(1).squeeze(1).stride, x.stride);
  EXPECT_EQ(x.squeeze(0).size, x.size);  // Not of one: it stays.
}

TEST_F(ViewsTest, ExpandingReadsTheSameElementAgain) {
  const Tensor row = make({6}).expand({4, 6});
  EXPECT_EQ(row.stride, (Dims{0, 1}));
  EXPECT_EQ(row.elements(), 24);
  EXPECT_FALSE(row.is_contiguous());
  EXPECT_EQ(make({3, 1}).expand({-1, 5}).stride, (Dims{1, 0}));
  // A dimension that keeps its size keeps its stride, also one of one.
  EXPECT_EQ(make({1, 5}).expand({1, 5}).stride, (Dims{5, 1}));
  make({3, 2}).expand({3, 4});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(ViewsTest, FewerDimensionsThanThereAreCannotBeExpandedTo) {
  make({3, 2}).expand({2});
  EXPECT_TRUE(trace_.failed());
}

TEST_F(ViewsTest, SlicesBeginSomewhereInTheSameMemory) {
  const Tensor x = make({4, 10});
  const Tensor middle = x.slice(1, 2, 8, 3);  // Elements 2 and 5.
  EXPECT_EQ(middle.size, (Dims{4, 2}));
  EXPECT_EQ(middle.stride, (Dims{10, 3}));
  EXPECT_EQ(middle.offset, 2);
  EXPECT_EQ(middle.storage, x.storage);
  EXPECT_EQ(middle.slice(0, 1, 4).offset, 12);
  EXPECT_EQ(x.slice(1, 0, 10, 4).size, (Dims{4, 3}));  // 0, 4, 8
  EXPECT_EQ(x.slice(1, -4, -1).size, (Dims{4, 3}));    // 6, 7, 8
  EXPECT_EQ(x.slice(1, -4, -1).offset, 6);
  EXPECT_EQ(x.slice(1, 8, 99).size, (Dims{4, 2}));
  EXPECT_EQ(x.slice(1, 99, 99).size, (Dims{4, 0}));
  EXPECT_EQ(x.slice(1, -99, 3).size, (Dims{4, 3}));
}

TEST_F(ViewsTest, SelectingDropsTheDimension) {
  const Tensor x = make({2, 3, 4}).select(1);
  EXPECT_EQ(x.size, (Dims{2, 4}));
  EXPECT_EQ(x.stride, (Dims{12, 1}));
  EXPECT_EQ(make({2, 3, 4}).select(-1).stride, (Dims{12, 4}));
}

TEST_F(ViewsTest, PartsOfTheLastDimensionCanBeToldApartAndJoinedAgain) {
  const Tensor heads = make({2, 3, 12}).unflatten_last(4, 3);
  EXPECT_EQ(heads.size, (Dims{2, 3, 4, 3}));
  EXPECT_EQ(heads.stride, (Dims{36, 12, 3, 1}));
  EXPECT_EQ(heads.flatten_from(2).size, (Dims{2, 3, 12}));
  EXPECT_EQ(heads.flatten_from(-2).storage, heads.storage);
}

TEST_F(ViewsTest, SizesAreBroadcastFromTheLastDimension) {
  Dims out;
  ASSERT_TRUE(broadcast({4, 1, 6}, {5, 1}, out));
  EXPECT_EQ(out, (Dims{4, 5, 6}));
  ASSERT_TRUE(broadcast({}, {2, 3}, out));
  EXPECT_EQ(out, (Dims{2, 3}));
  ASSERT_TRUE(broadcast({1}, {0}, out));  // One of nothing is nothing.
  EXPECT_EQ(out, (Dims{0}));
  EXPECT_FALSE(broadcast({2, 3}, {2}, out));
  EXPECT_FALSE(broadcast({4, 5, 6}, {4, 1, 5}, out));
}

TEST_F(ViewsTest, ResultsLieAsTheFirstInputThatHasAnOrder) {
  const Tensor by_columns = make({5, 4}).t();  // [4, 5] in memory by columns.
  EXPECT_EQ(elementwise_strides({4, 5}, {&by_columns}), (Dims{1, 4}));
  const Tensor by_rows = make({4, 5});
  EXPECT_EQ(elementwise_strides({4, 5}, {&by_rows, &by_columns}), (Dims{5, 1}));
  EXPECT_EQ(elementwise_strides({4, 5}, {&by_columns, &by_rows}), (Dims{1, 4}));
  // A row that is repeated says nothing of the order of rows.
  const Tensor row = make({5});
  EXPECT_EQ(elementwise_strides({4, 5}, {&row, &by_columns}), (Dims{1, 4}));
  // Gaps are not kept: the result is as large as it must be.
  const Tensor part = make({4, 10}).slice(1, 0, 5);
  EXPECT_EQ(elementwise_strides({4, 5}, {&part}), (Dims{5, 1}));
}

TEST_F(ViewsTest, ViewsOfAWeightThatChangeItAreNoWeight) {
  const Tensor weight = [&] {
    const Module module(trace_, "", "Root");
    return trace_.parameter({4, 6});
  }();
  EXPECT_TRUE(weight.is_weight());
  EXPECT_TRUE(weight.t().is_weight());  // As every Linear multiplies by it.
  EXPECT_FALSE(weight.view({24}).is_weight());
  EXPECT_FALSE(weight.slice(0, 0, 2).is_weight());
  EXPECT_FALSE(weight.unsqueeze(0).expand({3, 4, 6}).is_weight());
}

}  // namespace
}  // namespace wattree
