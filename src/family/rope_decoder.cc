#include "src/family/rope_decoder.h"

#include "src/family/fields.h"
#include "src/family/heads.h"

namespace wattree {

RopeDecoder read_rope_decoder(const Config& c, const RopeDecoder& defaults) {
  RopeDecoder m = defaults;
  m.vocab = c.size({"vocab_size"}, defaults.vocab);
  m.hidden = c.size({"hidden_size"}, defaults.hidden);
  m.layers = c.layers({"num_hidden_layers"}, defaults.layers);
  m.heads = c.size({"num_attention_heads"}, defaults.heads);
  m.kv_heads = c.size({"num_key_value_heads"}, defaults.kv_heads > 0 ? defaults.kv_heads : m.heads);
  c.divide(m.heads, m.kv_heads, "num_attention_heads", "num_key_value_heads");
  if (defaults.head_dim > 0 || c.has({"head_dim"})) {
    m.head_dim = c.size({"head_dim"}, defaults.head_dim);
  } else {
    m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  }
  m.intermediate = c.size({"intermediate_size"}, defaults.intermediate);
  m.activation = activation_field(c, {"hidden_act"}, defaults.activation);
  m.uses_cache = c.flag({"use_cache"}, true);
  m.is_tied = c.flag({"tie_word_embeddings"}, defaults.is_tied);
  m.has_padding_token = c.has({"pad_token_id"}, defaults.has_padding_token);
  m.rope = rope_kind(c);
  return m;
}

void read_layer_types(const Config& c, RopeDecoder& m) {
  std::vector<bool> slides = sliding_layers(c, m.layers);
  if (!slides.empty()) m.slides = std::move(slides);
}

Cache RopeDecoder::cache(const Trace& trace, std::int64_t layer) const {
  Cache cache{uses_cache || trace.pass().past > 0, trace.pass().past, std::nullopt};
  if (slides_at(layer)) cache.window = window;
  return cache;
}

Tensor gated_mlp(const Tensor& x, std::string_view name, std::string_view type,
                 std::int64_t intermediate, std::string_view function, Bias bias) {
  Module self(*x.trace, name, type);
  const Tensor gate = activation(linear(x, "gate_proj", intermediate, bias), "act_fn", function);
  const Tensor up = linear(x, "up_proj", intermediate, bias);
  return self.returns(linear(gate * up, "down_proj", x.dim(-1), bias));
}

Tensor cached_attention(const RopeDecoder& m, const Tensor& q, const Tensor& k, const Tensor& v,
                        const LayerInput& input) {
  Tensor keys = k;
  Tensor values = v;
  m.cache(*q.trace, input.index).update(keys, values);
  const Tensor y = attention(
      q, keys, values, {.mask = input.mask, .is_causal = m.is_causal, .softmax_in_f32 = true});
  return y.flatten_from(2);
}

namespace {

Tensor self_attention(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, "self_attn", m.type("Attention"));
  const std::string norm = m.type("RMSNorm");
  auto project = [&](std::string_view name, std::int64_t heads, std::string_view head_norm) {
    Tensor y =
        linear(x, name, heads * m.head_dim, m.qkv_bias).view({x.dim(0), x.dim(1), -1, m.head_dim});
    if (m.norms_heads && !head_norm.empty()) y = m.norm(y, head_norm, norm);
    return y.transpose(1, 2);
  };
  Tensor q = project("q_proj", m.heads, "q_norm");
  Tensor k = project("k_proj", m.kv_heads, "k_norm");
  const Tensor v = project("v_proj", m.kv_heads, "");
  q = apply_rotary(q, input.rotary);
  k = apply_rotary(k, input.rotary);
  const Tensor y = cached_attention(m, q, k, v, input);
  return self.returns(linear(y, "o_proj", m.hidden, m.output_bias));
}

Tensor decoder_layer(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, item("layers", input.index), m.type("DecoderLayer"));
  const std::string norm = m.type("RMSNorm");
  const Tensor normed = m.norm(x, "input_layernorm", norm);
  const Tensor attended =
      x + (m.own_attention ? m.own_attention(m, normed, input) : self_attention(m, normed, input));
  const Tensor y = m.norm(attended, "post_attention_layernorm", norm);
  const Tensor fed =
      m.feed_forward ? m.feed_forward(m, y, input.index)
                     : gated_mlp(y, "mlp", m.type("MLP"), m.intermediate, m.activation, m.mlp_bias);
  return self.returns(attended + fed);
}

}  // namespace

DecoderOutput rope_decoder_model(const RopeDecoder& m, Trace& trace, std::string_view name) {
  Module self(trace, name, m.type("Model"));
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.tensor(DType::kInt64, {pass.batch, pass.seq});
  Tensor x = m.scales_embedding
                 ? scaled_embedding(out.ids, m.embedding, m.type("TextScaledWordEmbedding"),
                                    m.vocab, m.hidden, &out.words)
                 : embedding(out.ids, m.embedding, m.vocab, m.hidden, &out.words);
  const Tensor places = position_ids(trace, pass.seq);
  bool any_full = false;
  bool any_sliding = false;
  for (std::int64_t i = 0; i < m.layers; ++i) (m.slides_at(i) ? any_sliding : any_full) = true;
  const bool has_cache = m.uses_cache || pass.past > 0;
  Mask full;
  Mask sliding;
  // One mask per kind of layer; a model that knows both kinds (`layer_types`) makes the full one in
  // any case.
  if (any_full || !m.slides.empty() || m.layers == 0) {
    if (!has_cache) check_packed_sequences(places, pass.batch);
    full = causal_mask(trace, {pass.batch, pass.seq, pass.past + pass.seq});
  }
  if (any_sliding) {
    if (!has_cache) check_packed_sequences(places, pass.batch);
    const Cache cache{has_cache, pass.past, m.window};
    sliding = causal_mask(trace, {pass.batch, pass.seq, cache.keys(pass.seq)}, m.window);
  }
  const Rotary rotary =
      rotary_embedding(places, "rotary_emb", m.type("RotaryEmbedding"), m.rotary_size(), m.rope);
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const LayerInput input{i, rotary, m.slides_at(i) ? sliding : full};
    x = m.own_layer ? m.own_layer(m, x, input) : decoder_layer(m, x, input);
  }
  out.hidden = self.returns(m.norm(x, m.final_norm, m.type("RMSNorm")));
  return out;
}

void rope_decoder_base(const RopeDecoder& m, Trace& trace, const Config& c) {
  if (c.ok()) rope_decoder_model(m, trace, "");
}

void rope_decoder_causal_lm(const RopeDecoder& m, Trace& trace, const Config& c) {
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForCausalLM"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  self.returns(language_model_head(out.hidden, "lm_head", out.words, m.is_tied, m.head_bias));
}

void rope_decoder_classification(const RopeDecoder& m, Trace& trace, const Config& c) {
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForSequenceClassification"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  self.returns(last_token_classification(out.hidden, out.ids, c, "score", m.has_padding_token));
}

void rope_decoder_token_classification(const RopeDecoder& m, Trace& trace, const Config& c) {
  const std::int64_t labels = label_count(c);
  const Bias bias{c.flag({"token_classification_bias"}, true)};
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForTokenClassification"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  self.returns(linear(out.hidden, "score", labels, bias));
}

}  // namespace wattree
