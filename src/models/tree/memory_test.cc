#include "src/models/tree/memory.h"

#include <gtest/gtest.h>

#include "src/models/symbolic/attention.h"
#include "src/models/symbolic/nn.h"

namespace wattree {
namespace {

// The tree of a module that `body` is the forward pass of; sizes in fp32, so that 128 elements fill
// a block of 512 bytes.
template <class Body>
ModelTree tree_of(const Body& body, Pass pass = {}) {
  Trace trace(pass);
  {
    Module self(trace, "", "Model");
    self.returns(body(trace));
  }
  return std::move(trace.finish()).value();
}

constexpr std::int64_t kBlock = 512;

TEST(Memory, WhatAKernelMadeIsFreedAfterItsLastUse) {
  const ModelTree tree = tree_of([](Trace& trace) {
    const Tensor x = trace.input(DType::kFloat32, {128});
    const Tensor a = x + 1.0;
    const Tensor b = a + 1.0;  // a and b are there,
    return b + 1.0;            // and here b and the result, no longer a.
  });
  const PassMemory memory = memory_of(tree);
  EXPECT_EQ(memory.inputs, kBlock);
  EXPECT_EQ(memory.activations, 2 * kBlock);
  EXPECT_EQ(memory.weights, 0);
  EXPECT_EQ(memory.peak(), 3 * kBlock);
}

TEST(Memory, BlocksAreRoundedUp) {
  const ModelTree tree =
      tree_of([](Trace& trace) { return trace.input(DType::kFloat32, {129}) + 1.0; });
  EXPECT_EQ(memory_of(tree).inputs, 4 * 129);
  EXPECT_EQ(memory_of(tree).activations, 2 * kBlock);
}

TEST(Memory, ViewsAreTheSameMemory) {
  const ModelTree tree = tree_of([](Trace& trace) {
    const Tensor a = trace.input(DType::kFloat32, {128}) + 1.0;
    return in_place(Op::kMulInPlace, a.view({2, 64}).transpose(0, 1), {2});
  });
  EXPECT_EQ(memory_of(tree).activations, kBlock);
}

TEST(Memory, AModulesArgumentsStayUntilItReturns) {
  const ModelTree tree = tree_of([](Trace& trace) {
    const Tensor a = trace.input(DType::kFloat32, {128}) + 1.0;
    Module inner(trace, "inner", "Inner");
    const Tensor b = a + 1.0;  // The last use of a, which the caller of inner still holds.
    const Tensor c = b + 1.0;
    return inner.returns(c);
  });
  EXPECT_EQ(memory_of(tree).activations, 3 * kBlock);
  EXPECT_EQ(tree.nodes()[static_cast<std::size_t>(memory_of(tree).peak_node)].scope, "inner:add.1");
}

TEST(Memory, VariablesHoldWhatTheyAreSaidToHold) {
  const ModelTree tree = tree_of([](Trace& trace) {
    const Tensor a = trace.input(DType::kFloat32, {128}) + 1.0;
    trace.keep(a);
    const Tensor b = a + 1.0;
    const Tensor c = b + 1.0;
    trace.keep_until_now({&b});
    return c + 1.0;  // a and c and this; b is gone.
  });
  EXPECT_EQ(memory_of(tree).activations, 3 * kBlock);
}

TEST(Memory, WeightsThatAreSharedCountOnce) {
  const auto body = [](Trace& trace) {
    const Tensor ids = trace.input(DType::kInt64, {1, 4});
    Tensor table;
    const Tensor x = embedding(ids, "words", 100, 64, &table);
    return tied_linear(linear(x, "dense", 64), "head", table);
  };
  const std::int64_t matrices = 100 * 64 + 64 * 64;
  EXPECT_EQ(memory_of(tree_of(body)).weights, 4 * (matrices + 64));
  Pass pass;
  pass.precision = Precision::kInt4;
  EXPECT_EQ(memory_of(tree_of(body, pass)).weights, matrices / 2 + 2 * 64);  // The bias is bf16.
  EXPECT_EQ(memory_of(tree_of(body)).inputs, 4 * 8);
}

TEST(Memory, ADecodeStepMakesALongerCacheBesideTheOldOneOrInstead) {
  constexpr std::int64_t kHeads = 2, kPast = 63, kWidth = 64, kLayers = 3;
  const ModelTree tree = tree_of([](Trace& trace) {
    Tensor x = trace.input(DType::kFloat32, {1, kHeads, 1, kWidth});
    for (std::int64_t i = 0; i < kLayers; ++i) {
      Tensor keys = x;
      Tensor values = x;
      Cache{true, kPast, {}}.update(keys, values);
    }
    return x + 1.0;
  });
  const std::int64_t old = 4 * kHeads * kPast * kWidth;
  const std::int64_t longer = 4 * kHeads * (kPast + 1) * kWidth;
  EXPECT_EQ(memory_of(tree).cache, 2 * kLayers * old);
  const PassMemory beside = memory_of(tree, OldCache::kHeld);
  EXPECT_EQ(beside.activations, 2 * kLayers * longer + kBlock);
  // The last layer's old keys are there while its longer ones are made; all else is replaced.
  const PassMemory instead = memory_of(tree, OldCache::kReplaced);
  EXPECT_LT(instead.activations, beside.activations);
  EXPECT_GE(instead.peak(), 2 * kLayers * longer);
}

}  // namespace
}  // namespace wattree
