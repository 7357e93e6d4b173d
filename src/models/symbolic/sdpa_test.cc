// Which kernels attention runs, by the rules at the head of sdpa.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/models/symbolic/ops.h"
#include "src/models/symbolic/trace.h"

namespace wattree {
namespace {

using Names = std::vector<std::string>;

struct Ran {
  Names kernels;
  Dims size;
  Dims stride;
};

struct Heads {
  std::int64_t query = 4;
  std::int64_t key = 4;
  std::int64_t width = 64;
  std::int64_t queries = 8;
  std::int64_t keys = 8;
  std::int64_t value_width = 0;  // 0: as wide as the keys.
};

// Of 2 sequences; `mask` is over all heads.
Ran run(DType type, const Heads& heads, bool has_mask = false, bool is_grouped = false) {
  Trace trace{Pass{}};
  Ran ran;
  {
    const Module module(trace, "", "Root");
    const Tensor q = trace.tensor(type, {2, heads.query, heads.queries, heads.width});
    const Tensor k = trace.tensor(type, {2, heads.key, heads.keys, heads.width});
    const std::int64_t wide = heads.value_width > 0 ? heads.value_width : heads.width;
    const Tensor v = trace.tensor(type, {2, heads.key, heads.keys, wide});
    SdpaOptions options;
    options.enable_gqa = is_grouped;
    if (has_mask) options.mask = trace.tensor(type, {2, 1, heads.queries, heads.keys});
    const Tensor out = scaled_dot_product_attention(q, k, v, options);
    ran.size = out.size;
    ran.stride = out.stride;
  }
  const Result<ModelTree> tree = trace.finish();
  EXPECT_TRUE(tree.ok());
  for (const Node& node : tree.value().nodes()) {
    if (node.op != Op::kNone) ran.kernels.emplace_back(facts_of(node.op).aten);
  }
  return ran;
}

const std::string kFused = "scaled_dot_product_attention";

TEST(Sdpa, HalvesWithOrdinaryHeadsAreOneKernelThatKeepsTheQuerysOrder) {
  const Ran ran = run(DType::kBfloat16, {});
  EXPECT_EQ(ran.kernels, Names{kFused});
  EXPECT_EQ(ran.size, (Dims{2, 4, 8, 64}));
  EXPECT_EQ(ran.stride, (Dims{2048, 512, 64, 1}));
  EXPECT_EQ(run(DType::kBfloat16, {}, true).kernels, Names{kFused});
}

TEST(Sdpa, HeadsThatAreNoMultipleOfEightArePadded) {
  const Ran ran = run(DType::kBfloat16, {.width = 20});
  EXPECT_EQ(ran.kernels, (Names{"constant_pad_nd", "constant_pad_nd", "constant_pad_nd", kFused}));
  EXPECT_EQ(ran.size, (Dims{2, 4, 8, 20}));
  EXPECT_EQ(ran.stride, (Dims{768, 192, 24, 1}));  // Of rows of 24.
}

TEST(Sdpa, WhatComesOutIsAsWideAsTheValues) {
  for (const DType type : {DType::kBfloat16, DType::kFloat32}) {
    const Ran ran = run(type, {.width = 192, .value_width = 128});
    EXPECT_EQ(ran.kernels, Names{kFused});
    EXPECT_EQ(ran.size, (Dims{2, 4, 8, 128}));
    EXPECT_EQ(ran.stride, (Dims{4096, 128, 512, 1}));  // Token by token.
  }
}

TEST(Sdpa, FullPrecisionWritesTokenByToken) {
  const Ran ran = run(DType::kFloat32, {});
  EXPECT_EQ(ran.kernels, Names{kFused});
  // [2, 8, 4, 64] in memory: a token's heads lie side by side.
  EXPECT_EQ(ran.stride, (Dims{2048, 64, 256, 1}));
}

TEST(Sdpa, AMaskWithOddRowsIsCopiedIntoLongerOnes) {
  EXPECT_EQ(run(DType::kFloat32, {.keys = 9}, true).kernels, (Names{"constant_pad_nd", kFused}));
  EXPECT_EQ(run(DType::kFloat32, {.keys = 16}, true).kernels, Names{kFused});
}

TEST(Sdpa, HeadsThatAreNotAlignedAreComputedOpByOp) {
  // Three numbers of four bytes: 12 bytes are no multiple of 16.
  const Ran ran = run(DType::kFloat32, {.width = 3});
  EXPECT_EQ(ran.kernels, (Names{"mul", "mul", "bmm", "_safe_softmax", "bmm"}));
  EXPECT_EQ(ran.size, (Dims{2, 4, 8, 3}));
}

TEST(Sdpa, GroupedHeadsHaveAFusedKernelForHalvesOnly) {
  const Heads grouped{.query = 4, .key = 2};
  EXPECT_EQ(run(DType::kBfloat16, grouped, false, true).kernels, Names{kFused});
  const Names by_hand = run(DType::kFloat32, grouped, false, true).kernels;
  // Keys and values are repeated for the heads that share them.
  EXPECT_EQ(std::count(by_hand.begin(), by_hand.end(), "clone"), 2);
  EXPECT_EQ(std::count(by_hand.begin(), by_hand.end(), kFused), 0);
}

TEST(Sdpa, HeadsThatDoNotDivideFailTheTrace) {
  Trace trace{Pass{}};
  const Module module(trace, "", "Root");
  const Tensor q = trace.tensor(DType::kFloat32, {1, 3, 8, 16});
  const Tensor k = trace.tensor(DType::kFloat32, {1, 2, 8, 16});
  scaled_dot_product_attention(q, k, k, {});
  EXPECT_TRUE(trace.failed());
}

}  // namespace
}  // namespace wattree
