#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "wattree/cost.h"

namespace {

// A contiguous tensor of four-byte elements, unless said otherwise.
class Tensor {
 public:
  explicit Tensor(std::vector<std::int64_t> sizes, std::int32_t element_bytes = 4)
      : sizes_(std::move(sizes)), strides_(sizes_.size(), 1), bytes_(element_bytes) {
    for (std::size_t i = sizes_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * sizes_[i];
  }
  Tensor& expand(std::size_t dimension) {
    strides_[dimension] = 0;
    return *this;
  }
  wattree_tensor get() const {
    return {bytes_, static_cast<std::int32_t>(sizes_.size()), sizes_.data(), strides_.data()};
  }

 private:
  std::vector<std::int64_t> sizes_, strides_;
  std::int32_t bytes_;
};

struct Answer {
  int is_known = 0;
  wattree_cost cost{};
};

Answer ask(const char* op, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  std::vector<wattree_tensor> in, out;
  for (const Tensor& tensor : inputs) in.push_back(tensor.get());
  for (const Tensor& tensor : outputs) out.push_back(tensor.get());
  Answer answer;
  answer.is_known = wattree_op_cost(op, in.data(), in.size(), out.data(), out.size(), &answer.cost);
  return answer;
}

TEST(OpCost, CountsAMatrixProduct) {
  // [6, 4] x [4, 5] and a bias: 2 * 6 * 4 * 5, and 30 additions.
  const Answer answer =
      ask("addmm", {Tensor({5}), Tensor({6, 4}), Tensor({4, 5})}, {Tensor({6, 5})});
  EXPECT_EQ(answer.is_known, 1);
  EXPECT_EQ(answer.cost.matmul_flops, 240);
  EXPECT_EQ(answer.cost.flops, 270);
  EXPECT_EQ(answer.cost.bytes, 4 * (5 + 24 + 20 + 30));
}

TEST(OpCost, CountsAnExpandedTensorOnceAndAnyElementSize) {
  const Answer half =
      ask("add", {Tensor({8, 3}, 2), Tensor({8, 3}, 2).expand(0)}, {Tensor({8, 3}, 2)});
  EXPECT_EQ(half.cost.flops, 24);
  EXPECT_EQ(half.cost.bytes, 2 * (24 + 3 + 24));
  EXPECT_EQ(ask("add_", {Tensor({7}, 16)}, {Tensor({7}, 16)}).cost.bytes, 2 * 7 * 16);
}

TEST(OpCost, KnowsAttentionByWhateverKernelRunsIt) {
  const std::vector<Tensor> qkv(3, Tensor({2, 4, 8, 16}));
  for (const char* name :
       {"_scaled_dot_product_flash_attention", "_scaled_dot_product_cudnn_attention"}) {
    // Two products of 8 x 16 x 8 for each of 8 heads; scaling and softmax are six for each score.
    const Answer answer = ask(name, qkv, {Tensor({2, 4, 8, 16})});
    EXPECT_EQ(answer.cost.matmul_flops, 2 * 2 * 8 * 8 * 16 * 8);
    EXPECT_EQ(answer.cost.flops, answer.cost.matmul_flops + 6 * 8 * 64);
  }
}

TEST(OpCost, SaysWhatItDoesNotKnow) {
  const Answer unknown = ask("my_own_op", {Tensor({10})}, {Tensor({3})});
  EXPECT_EQ(unknown.is_known, 0);
  EXPECT_EQ(unknown.cost.flops, 0);
  EXPECT_EQ(unknown.cost.bytes, 4 * 13);
  EXPECT_EQ(ask(nullptr, {}, {}).is_known, 0);
}

TEST(OpCost, RefusesTensorsThatDoNotFit) {
  EXPECT_EQ(ask("mm", {Tensor({4, 5})}, {Tensor({4, 5})}).is_known, 0);
  EXPECT_EQ(ask("mm", {Tensor({4}), Tensor({4})}, {Tensor({4})}).is_known, 0);
  EXPECT_EQ(ask("add", {Tensor({4})}, {}).is_known, 0);
  EXPECT_EQ(ask("add", {Tensor({-4})}, {Tensor({4})}).is_known, 0);
  EXPECT_EQ(ask("add", {Tensor({4}, 0)}, {Tensor({4})}).is_known, 0);
  EXPECT_EQ(ask("add", {Tensor({std::int64_t{1} << 40})}, {Tensor({4})}).is_known, 0);
  EXPECT_EQ(ask("cat", std::vector<Tensor>(300, Tensor({1})), {Tensor({300})}).is_known, 0);
}

TEST(OpCost, TakesTensorsOfManyDimensions) {
  const Answer answer =
      ask("mul", {Tensor({2, 2, 2, 2, 2, 2, 3, 5})}, {Tensor({2, 2, 2, 2, 2, 2, 3, 5})});
  EXPECT_EQ(answer.is_known, 1);
  EXPECT_EQ(answer.cost.flops, 960);
  EXPECT_EQ(answer.cost.bytes, 2 * 4 * 960);
}

TEST(OpCost, DoesNotOverflow) {
  const std::int64_t large = 4'000'000'000;
  const std::vector<Tensor> both(2, Tensor({large, large}));
  EXPECT_EQ(ask("mm", both, {Tensor({large, large})}).is_known, 0);
}

}  // namespace
