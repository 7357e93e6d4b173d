// GPT-2 (Radford et al. 2019).
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Gpt2 {
  std::int64_t vocab, positions, hidden, layers, heads, head_dim, inner;
  std::string activation;
  bool upcasts_attention, is_tied, has_padding_token;
  Cache cache;
};

Gpt2 read(ConfigReader& c, const Trace& trace) {
  Gpt2 m;
  m.vocab = c.size({"vocab_size"}, 50257);
  m.positions = c.size({"max_position_embeddings", "n_positions"}, 1024);
  m.hidden = c.size({"hidden_size", "n_embd"}, 768);
  m.layers = c.layers({"num_hidden_layers", "n_layer"}, 12);
  m.heads = c.size({"num_attention_heads", "n_head"}, 12);
  m.head_dim = c.divide(m.hidden, m.heads, "n_embd", "n_head");
  m.inner = c.size({"n_inner"}, 4 * m.hidden);
  m.activation = activation_field(c, {"activation_function"}, "gelu_new");
  m.upcasts_attention = c.flag({"reorder_and_upcast_attn"}, false);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  if (c.flag({"add_cross_attention"}, false))
    c.reject("add_cross_attention", "is not supported for this family");
  check_positions(c, trace.pass().past + trace.pass().seq, m.positions, "n_positions",
                  length_field(trace.pass()));
  return m;
}

// Scores in fp32 by one baddbmm, whatever the model's type.
Tensor upcast_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
  Trace& trace = *q.trace;
  const std::int64_t products = saturating_mul(q.dim(0), q.dim(1));
  const Tensor left = q.reshape({products, q.dim(2), q.dim(3)});
  const Tensor right = k.transpose(2, 3).reshape({products, k.dim(3), k.dim(2)});
  const Tensor left32 = left.to(DType::kFloat32);
  const Tensor right32 = right.to(DType::kFloat32);
  const Tensor empty = trace.tensor(DType::kFloat32, {products, q.dim(2), k.dim(2)});
  Tensor scores =
      baddbmm(empty, left32, right32, {0, 1}).view({q.dim(0), q.dim(1), q.dim(2), k.dim(2)});
  if (mask) scores = scores + *mask;
  const Tensor weights = softmax(scores).to(v.dtype);
  return matmul(weights, v).transpose(1, 2);
}

Tensor self_attention(const Gpt2& m, const Tensor& x, const Mask& mask) {
  Module self(*x.trace, "attn", "GPT2Attention");
  const Tensor qkv = conv1d_linear(x, "c_attn", 3 * m.hidden);
  auto heads = [&](std::int64_t part) {
    return split_heads(qkv.slice(2, part * m.hidden, (part + 1) * m.hidden), m.head_dim);
  };
  Tensor k = heads(1);
  Tensor v = heads(2);
  m.cache.update(k, v);
  const bool upcasts = m.upcasts_attention && x.trace->is_eager();
  const Tensor y =
      upcasts ? upcast_attention(heads(0), k, v, mask) : attention(heads(0), k, v, {mask, true});
  return self.returns(conv1d_linear(y.flatten_from(2).contiguous(), "c_proj", m.hidden));
}

Tensor mlp(const Gpt2& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "GPT2MLP");
  Tensor y = conv1d_linear(x, "c_fc", m.inner);
  y = activation(y, "act", m.activation);
  return self.returns(conv1d_linear(y, "c_proj", m.hidden));
}

Tensor block(const Gpt2& m, const Tensor& x, const Mask& mask, std::int64_t index) {
  Module self(*x.trace, item("h", index), "GPT2Block");
  const Tensor attention_output = self_attention(m, layer_norm(x, "ln_1"), mask);
  x.trace->keep(attention_output);
  const Tensor attended = attention_output + x;
  const Tensor fed = mlp(m, layer_norm(attended, "ln_2"));
  return self.returns(attended + fed);
}

DecoderOutput model(const Gpt2& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "GPT2Model");
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  look_for_padding(out.ids, m.has_padding_token);
  const Tensor words = embedding(out.ids, "wte", m.vocab, m.hidden, &out.words);
  const Tensor places = position_ids(trace, pass.seq);
  const Tensor positions = embedding(places, "wpe", m.positions, m.hidden);
  Tensor x = words + positions;
  if (!m.cache.used) check_packed_sequences(places, pass.batch);
  const Mask mask = causal_mask(trace, {pass.batch, pass.seq, m.cache.keys(pass.seq)});
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, mask, i);
  out.hidden = self.returns(layer_norm(x, "ln_f"));
  return out;
}

constexpr DecoderClasses<Gpt2> kDecoder{.prefix = "GPT2",
                                        .base = "transformer",
                                        .read = read,
                                        .model = model,
                                        .causal_lm = "LMHeadModel"};

constexpr ModelClass kClasses[] = {
    {"GPT2Model", base_model<kDecoder>},
    {"GPT2LMHeadModel", causal_lm<kDecoder>},
    {"GPT2ForSequenceClassification", sequence_classification<kDecoder>},
    {"GPT2ForTokenClassification", token_classification<kDecoder>},
    {"GPT2ForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kGpt2;
constexpr Family kGpt2{"gpt2", kClasses};

}  // namespace wattree
