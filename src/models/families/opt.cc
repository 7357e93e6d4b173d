// OPT (Zhang et al. 2022).
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Opt {
  std::int64_t vocab, positions, hidden, word_width, layers, heads, head_dim, inner;
  std::string activation;
  Bias bias;
  bool norms_first, has_final_norm, norms_have_weights, is_tied, has_padding_token;
  Cache cache;
};

Opt read(ConfigReader& c, const Trace& trace) {
  Opt m;
  m.vocab = c.size({"vocab_size"}, 50272);
  m.positions = c.size({"max_position_embeddings"}, 2048);
  m.hidden = c.size({"hidden_size"}, 768);
  m.word_width = c.size({"word_embed_proj_dim"}, m.hidden);
  m.layers = c.layers({"num_hidden_layers"}, 12);
  m.heads = c.size({"num_attention_heads"}, 12);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.inner = c.size({"ffn_dim"}, 3072);
  m.activation = activation_field(c, {"activation_function"}, "relu");
  m.bias = Bias{c.flag({"enable_bias"}, true)};
  m.norms_first = c.flag({"do_layer_norm_before"}, true);
  m.has_final_norm = m.norms_first && !c.flag({"_remove_final_layer_norm"}, false);
  m.norms_have_weights = c.flag({"layer_norm_elementwise_affine"}, true);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, true);
  if (m.has_padding_token && c.number({"pad_token_id"}, 1) >= static_cast<double>(m.vocab))
    c.reject("pad_token_id", "is not in the vocabulary; the model cannot be built");
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  check_positions(c, trace.pass().past + trace.pass().seq, m.positions, "max_position_embeddings",
                  length_field(trace.pass()));
  return m;
}

Tensor norm(const Opt& m, const Tensor& x, std::string_view name) {
  if (m.norms_have_weights) return layer_norm(x, name);
  Module self(*x.trace, name, "LayerNorm", Module::Kind::kPrimitive);
  return self.returns(layer_norm_kernel(x, nullptr, nullptr));
}

// The table has two rows more than there are positions.
Tensor embed_positions(const Opt& m, const Tensor& places) {
  constexpr std::int64_t kOffset = 2;
  Trace& trace = *places.trace;
  Module self(trace, "embed_positions", "OPTLearnedPositionalEmbedding", Module::Kind::kPrimitive);
  const Tensor weight = trace.parameter({m.positions + kOffset, m.hidden});
  const Tensor rows = places + static_cast<double>(kOffset);
  const Tensor positions = embedding_kernel(rows, weight);
  trace.keep_for_caller(positions);
  return self.returns(positions);
}

Tensor self_attention(const Opt& m, const Tensor& x, const Mask& mask) {
  Module self(*x.trace, "self_attn", "OPTAttention");
  // Queries are scaled here; attention itself then scales by one.
  const Tensor q = linear(x, "q_proj", m.hidden, m.bias) * 1.0;
  Tensor k = split_heads(linear(x, "k_proj", m.hidden, m.bias), m.head_dim);
  Tensor v = split_heads(linear(x, "v_proj", m.hidden, m.bias), m.head_dim);
  m.cache.update(k, v);
  const Tensor y = attention(split_heads(q, m.head_dim), k, v,
                             {.mask = mask, .is_causal = true, .softmax_in_f32 = true});
  return self.returns(linear(y.flatten_from(2), "out_proj", m.hidden, m.bias));
}

Tensor decoder_layer(const Opt& m, const Tensor& x, const Mask& mask, std::int64_t index) {
  Module self(*x.trace, item("layers", index), "OPTDecoderLayer");
  Tensor y = m.norms_first ? norm(m, x, "self_attn_layer_norm") : x;
  y = self_attention(m, y, mask);
  Tensor attended = x + y;
  if (!m.norms_first) attended = norm(m, attended, "self_attn_layer_norm");

  const Tensor rows = attended.reshape({-1, m.hidden});
  y = m.norms_first ? norm(m, rows, "final_layer_norm") : rows;
  y = linear(y, "fc1", m.inner, m.bias);
  y = activation(y, "activation_fn", m.activation);
  y = linear(y, "fc2", m.hidden, m.bias);
  const Tensor fed = (rows + y).view(attended.size);
  return self.returns(m.norms_first ? fed : norm(m, fed, "final_layer_norm"));
}

DecoderOutput decoder(const Opt& m, Trace& trace) {
  Module self(trace, "decoder", "OPTDecoder");
  const Pass& pass = trace.pass();
  const std::int64_t keys = m.cache.keys(pass.seq);
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  Tensor words = embedding(out.ids, "embed_tokens", m.vocab, m.word_width, &out.words);
  // Positions are counted by an attention mask, made of ones where none is given.
  const Tensor ones = fill(trace, Op::kOnes, DType::kFloat32, {pass.batch, keys});
  const Tensor counted = cumsum(ones);
  const Tensor places = (counted * ones - 1.0).to(DType::kInt64).slice(1, pass.past, keys);
  const Mask mask = causal_mask(trace, {pass.batch, pass.seq, keys}, ones);
  const Tensor positions = embed_positions(m, places);
  const bool projects = m.word_width != m.hidden;
  if (projects) words = linear(words, "project_in", m.hidden, Bias::kNo);
  Tensor x = words + positions;
  for (std::int64_t i = 0; i < m.layers; ++i) x = decoder_layer(m, x, mask, i);
  if (m.has_final_norm) x = norm(m, x, "final_layer_norm");
  if (projects) x = linear(x, "project_out", m.word_width, Bias::kNo);
  out.hidden = self.returns(x);
  return out;
}

DecoderOutput model(const Opt& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "OPTModel");
  const DecoderOutput out = decoder(m, trace);
  self.returns(out.hidden);
  return out;
}

constexpr DecoderClasses<Opt> kDecoder{
    .prefix = "OPT", .base = "model", .read = read, .model = model};

constexpr ModelClass kClasses[] = {
    {"OPTModel", base_model<kDecoder>},
    {"OPTForCausalLM", causal_lm<kDecoder>},
    {"OPTForSequenceClassification", sequence_classification<kDecoder>},
    {"OPTForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kOpt;
constexpr Family kOpt{"opt", kClasses};

}  // namespace wattree
