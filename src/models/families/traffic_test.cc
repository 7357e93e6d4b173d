// Hand-worked traffic of the ops between the matrix products, and the laws every tree obeys.
#include <gtest/gtest.h>

#include <set>

#include "src/models/families/family.h"
#include "src/models/tree/cost.h"

namespace wattree {
namespace {

BuiltTree build(const std::string& json, const Pass& pass, const std::string& as = "") {
  Result<Config> config = Config::parse(json, "test");
  EXPECT_TRUE(config.ok());
  Result<BuiltTree> built = build_tree(config.value(), {pass, as});
  EXPECT_TRUE(built.ok()) << built.error().message;
  return std::move(built).value();
}

const Node& find(const ModelTree& tree, std::string_view scope) {
  for (const Node& node : tree.nodes()) {
    if (node.scope == scope) return node;
  }
  ADD_FAILURE() << "no node " << scope;
  return tree.root();
}

// Bytes of the math ops inside a module.
std::int64_t math_bytes(const ModelTree& tree, std::string_view scope) {
  const Node& module = find(tree, scope);
  std::int64_t total = 0;
  for (auto i = static_cast<std::size_t>(module.first); &tree.nodes()[i] != &module; ++i) {
    if (tree.nodes()[i].level == Level::kMath) total += tree.nodes()[i].bytes;
  }
  return total;
}

Pass pass_of(std::int64_t batch, std::int64_t seq, Attention attention, Precision precision) {
  Pass pass;
  pass.batch = batch;
  pass.seq = seq;
  pass.attention = attention;
  pass.precision = precision;
  return pass;
}

// One activation of BERT-base at 16 × 128 in fp32, and one set of attention scores.
constexpr std::int64_t kUnit = 16 * 128 * 768 * 4;
constexpr std::int64_t kScores = 16 * 12 * 128 * 128 * 4;

TEST(Traffic, OneBertLayerEager) {
  const BuiltTree bert = build(R"({"model_type":"bert","num_hidden_layers":1})",
                               pass_of(16, 128, Attention::kEager, Precision::kFp32));
  // q, k and v are laid out by head, the context back by token: four copies, each read and written.
  // The scores are scaled once. There is no mask.
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0.attention.self"), 8 * kUnit + 2 * kScores);
  // A residual reads two and writes one.
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0.attention.output"), 3 * kUnit);
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0.output"), 3 * kUnit);
  // GELU reads and writes the four times wider inner layer.
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0.intermediate"), 8 * kUnit);
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0"), 22 * kUnit + 2 * kScores);
}

TEST(Traffic, OneBertLayerSdpaNeedsNoCopies) {
  const BuiltTree bert = build(R"({"model_type":"bert","num_hidden_layers":1})",
                               pass_of(16, 128, Attention::kSdpa, Precision::kFp32));
  EXPECT_EQ(math_bytes(bert.tree, "encoder.layer.0.attention.self"), 0);
  // Fused attention reads q, k, v and writes the context; the scores never leave the chip.
  EXPECT_EQ(find(bert.tree, "encoder.layer.0.attention.self:sdpa").bytes, 4 * kUnit);
}

TEST(Traffic, OneGpt2Mlp) {
  const BuiltTree gpt2 = build(R"({"model_type":"gpt2","n_layer":1})",
                               pass_of(16, 128, Attention::kEager, Precision::kFp32));
  // gelu_new is eight kernels on the four times wider inner layer: six of one input, two of two.
  EXPECT_EQ(math_bytes(gpt2.tree, "h.0.mlp"), (6 * 2 + 2 * 3) * 4 * kUnit);
  const Node& up = find(gpt2.tree, "h.0.mlp.c_fc");
  EXPECT_EQ(up.matmul_flops, std::int64_t{2} * 2048 * 768 * 3072);
  EXPECT_EQ(up.flops, up.matmul_flops + std::int64_t{2048} * 3072);
  EXPECT_EQ(up.bytes, (std::int64_t{2048} * 768 + 768 * 3072 + 3072 + 2048 * 3072) * 4);
}

TEST(Traffic, OneLlamaLayer) {
  // 2 × 8 tokens of 64, four heads of 16, two of them for keys and values, an MLP of 96, in bf16.
  const BuiltTree llama = build(R"({"model_type":"llama","hidden_size":64,"num_attention_heads":4,
                "num_key_value_heads":2,"intermediate_size":96,"num_hidden_layers":1,
                "vocab_size":100})",
                                pass_of(2, 8, Attention::kSdpa, Precision::kBf16));
  constexpr std::int64_t tokens = 16;
  constexpr std::int64_t x = tokens * 64 * 2;  // The residual stream in bf16…
  constexpr std::int64_t wide = 2 * x;         // …and in fp32.
  constexpr std::int64_t row = tokens * 4;     // One fp32 number a token.
  // Norm: widen, square, mean, + eps, rsqrt, scale, narrow, gain (64 numbers).
  constexpr std::int64_t norm = (x + wide) + 2 * wide + (wide + row) + 2 * row + 2 * row +
                                (wide + row + wide) + (wide + x) + (64 * 2 + 2 * x);
  EXPECT_EQ(math_bytes(llama.tree, "layers.0.input_layernorm"), norm);
  // Rotary, per q or k of size t with tables of 8 × 16: t·cos, negate half, join, ·sin, add.
  constexpr std::int64_t q = tokens * 64 * 2;
  constexpr std::int64_t k = tokens * 32 * 2;
  constexpr std::int64_t table = 8 * 16 * 2;
  constexpr auto rotary = [](std::int64_t t) {
    return (2 * t + table) + t + 2 * t + (2 * t + table) + 3 * t;
  };
  // Keys and values are joined to the empty cache, which copies them.
  EXPECT_EQ(math_bytes(llama.tree, "layers.0.self_attn"), rotary(q) + rotary(k) + 2 * 2 * k);
  // silu, then gate times up.
  constexpr std::int64_t inner = tokens * 96 * 2;
  EXPECT_EQ(math_bytes(llama.tree, "layers.0.mlp"), 2 * inner + 3 * inner);
  EXPECT_EQ(math_bytes(llama.tree, "layers.0"),
            2 * norm + rotary(q) + rotary(k) + 4 * k + 5 * inner + 2 * 3 * x);
}

TEST(Traffic, ADecodeStepReadsItsCacheAndEveryWeightOnce) {
  Pass pass = pass_of(1, 1, Attention::kSdpa, Precision::kBf16);
  pass.past = 100;
  const BuiltTree llama = build(R"({"model_type":"llama","hidden_size":64,"num_attention_heads":4,
                "intermediate_size":96,"num_hidden_layers":1,"vocab_size":100})",
                                pass);
  const Node& join = find(llama.tree, "layers.0.self_attn:cat.2");
  EXPECT_EQ(join.shape, (Dims{1, 4, 101, 16}));
  EXPECT_EQ(join.bytes, 2 * 101 * 64 * 2);
  EXPECT_EQ(find(llama.tree, "layers.0.self_attn:sdpa").bytes, (64 + 101 * 64 + 101 * 64 + 64) * 2);
}

TEST(Traffic, QuantisedWeightsAreSmallerAndNothingElseIs) {
  const std::string json = R"({"model_type":"bert","num_hidden_layers":1})";
  auto bytes = [&](Precision precision) {
    const BuiltTree bert = build(json, pass_of(1, 8, Attention::kSdpa, precision));
    return find(bert.tree, "encoder.layer.0.intermediate.dense").bytes;
  };
  constexpr std::int64_t matrix = 768 * 3072;
  constexpr std::int64_t rest = 8 * 768 + 3072 + 8 * 3072;
  EXPECT_EQ(bytes(Precision::kFp32), 4 * (matrix + rest));
  EXPECT_EQ(bytes(Precision::kTf32), 4 * (matrix + rest));
  EXPECT_EQ(bytes(Precision::kBf16), 2 * (matrix + rest));
  EXPECT_EQ(bytes(Precision::kFp16), 2 * (matrix + rest));
  EXPECT_EQ(bytes(Precision::kInt8), matrix + 2 * rest);
  EXPECT_EQ(bytes(Precision::kInt4), matrix / 2 + 2 * rest);
}

}  // namespace
}  // namespace wattree
