// MPT (MosaicML 2023): GPT without biases, its positions by ALiBi.
#include <bit>

#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Mpt {
  std::int64_t vocab, positions, hidden, layers, heads, head_dim;
  bool clips, is_tied, has_padding_token;
  Cache cache;
};

Mpt read(ConfigReader& c, const Trace& trace) {
  Mpt m;
  m.vocab = c.size({"vocab_size"}, 50368);
  m.positions = c.size({"max_seq_len"}, 2048);
  m.hidden = c.size({"hidden_size", "d_model"}, 2048);
  m.layers = c.layers({"num_hidden_layers", "n_layers"}, 24);
  m.heads = c.size({"num_attention_heads", "n_heads"}, 16);
  m.head_dim = c.divide(m.hidden, m.heads, "d_model", "n_heads");
  std::optional<ConfigReader> attention = c.object("attn_config");
  m.clips = attention && attention->number({"clip_qkv"}, 0.0) != 0.0;
  if (!c.flag({"is_causal"}, true)) c.reject("is_causal", "must be true for this family");
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.cache = {c.flag({"use_cache"}, false) || trace.pass().past > 0, trace.pass().past, {}};
  check_positions(c, m.cache.keys(trace.pass().seq), m.positions, "max_seq_len",
                  length_field(trace.pass()));
  return m;
}

// [h, 1, positions]: a slope for every head times the distance from the last place.
Tensor alibi(const Mpt& m, Trace& trace) {
  const Tensor places = arange(trace, m.positions, DType::kInt32).view({1, 1, 1, m.positions});
  const auto even = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m.heads)));
  const Tensor base = arange(trace, even).to(DType::kFloat32) * 1.0;
  const Tensor powers = unary(Op::kPow, base);
  Tensor slopes = (1.0 * unary(Op::kReciprocal, powers)).view({1, even, 1, 1});
  if (even != m.heads) {
    const Tensor odd_ones = slopes.slice(1, 1, even, 2);
    const Tensor even_ones = slopes.slice(1, 0, even, 2);
    slopes = cat({&odd_ones, &even_ones}, 1).slice(1, 0, m.heads);
  }
  return (places * slopes).squeeze(0);
}

Tensor self_attention(const Mpt& m, const Tensor& x, const Tensor& biases, const Tensor& mask) {
  Module self(*x.trace, "attn", "MptAttention");
  Tensor qkv = linear(x, "Wqkv", 3 * m.hidden, Bias::kNo);
  if (m.clips) qkv = unary(Op::kClamp, qkv);
  auto heads = [&](std::int64_t part) {
    return split_heads(qkv.slice(2, part * m.hidden, (part + 1) * m.hidden), m.head_dim);
  };
  const Tensor q = heads(0);
  Tensor k = heads(1);
  Tensor v = heads(2);
  m.cache.update(k, v);
  Tensor scores = matmul(q, k.transpose(2, 3)) * 1.0;
  scores = scores + biases.slice(2, m.positions - k.dim(2), m.positions);
  scores = masked_fill(scores, mask);
  const Tensor weights = softmax(scores.to(DType::kFloat32)).to(v.dtype);
  const Tensor y = matmul(weights, v).transpose(1, 2).contiguous();
  return self.returns(linear(y.flatten_from(2), "out_proj", m.hidden, Bias::kNo));
}

// The residual is added inside.
Tensor feed_forward(const Mpt& m, const Tensor& x, const Tensor& residual) {
  Module self(*x.trace, "ffn", "MptMLP");
  Tensor y = linear(x, "up_proj", 4 * m.hidden, Bias::kNo);
  {
    Module act(*x.trace, "act", "GELU", Module::Kind::kMl);
    y = act.returns(unary(Op::kGelu, y));
  }
  y = linear(y, "down_proj", m.hidden, Bias::kNo);
  return self.returns(y + residual);
}

Tensor block(const Mpt& m, const Tensor& x, const Tensor& biases, const Tensor& mask,
             std::int64_t index) {
  Module self(*x.trace, item("blocks", index), "MptBlock");
  const Tensor normed = layer_norm(x, "norm_1", Bias::kNo);
  const Tensor attended = self_attention(m, normed, biases, mask) + x;
  const Tensor y = layer_norm(attended, "norm_2", Bias::kNo);
  return self.returns(feed_forward(m, y, attended));
}

DecoderOutput model(const Mpt& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "MptModel");
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  Tensor x = embedding(out.ids, "wte", m.vocab, m.hidden, &out.words);
  const Tensor biases = alibi(m, trace);
  const Tensor causal = explicit_causal_mask(trace, {pass.batch, pass.seq, m.cache.keys(pass.seq)});
  const Tensor mask = causal.to(DType::kBool);
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, biases, mask, i);
  out.hidden = self.returns(layer_norm(x, "norm_f", Bias::kNo));
  return out;
}

constexpr DecoderClasses<Mpt> kDecoder{
    .prefix = "Mpt", .base = "transformer", .read = read, .model = model};

constexpr ModelClass kClasses[] = {
    {"MptModel", base_model<kDecoder>},
    {"MptForCausalLM", causal_lm<kDecoder>},
    {"MptForSequenceClassification", sequence_classification<kDecoder>},
    {"MptForTokenClassification", token_classification<kDecoder>},
    {"MptForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kMpt;
constexpr Family kMpt{"mpt", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
