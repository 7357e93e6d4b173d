// Falcon (Almazrouei et al. 2023), in its three shapes: one key-value head (7B), groups of them
// (40B, 180B), and one per query head with ALiBi (RW).
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Falcon {
  std::int64_t vocab, hidden, layers, heads, kv_heads, head_dim, inner;
  std::string activation;
  bool is_new, is_multi_query, is_parallel, has_alibi, is_tied, has_padding_token;
  bool has_two_norms;  // One for attention and one for the MLP, both on the layer's input.
  Bias bias;
  RopeKind rope;
  Cache cache;
};

Falcon read(ConfigReader& c, const Trace& trace) {
  // A null means no, whatever the default.
  auto is_on = [&](std::string_view name, bool otherwise) {
    return c.has({name}, otherwise) && c.flag({name}, otherwise);
  };
  Falcon m;
  m.vocab = c.size({"vocab_size"}, 65024);
  m.hidden = c.size({"n_embed", "hidden_size"}, 4544);
  m.layers = c.layers({"num_hidden_layers"}, 32);
  m.heads = c.size({"num_attention_heads"}, 71);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.is_new = is_on("new_decoder_architecture", false);
  m.is_multi_query = !m.is_new && is_on("multi_query", true);
  m.is_parallel = is_on("parallel_attn", true);
  m.kv_heads = c.size({"num_kv_heads"}, m.heads);
  if (m.is_multi_query) m.kv_heads = 1;
  if (m.is_new) c.divide(m.heads, m.kv_heads, "num_attention_heads", "num_kv_heads");
  if (!m.is_new && !m.is_multi_query && m.kv_heads != m.heads) {
    c.reject("num_kv_heads", "must be num_attention_heads without multi_query");
  }
  const std::int64_t norms = c.size({"num_ln_in_parallel_attn"}, m.is_new ? 2 : 1);
  m.has_two_norms = m.is_parallel && norms == 2;
  if (m.is_new && !m.is_parallel) {
    c.reject("parallel_attn", "must be true with new_decoder_architecture; the model cannot run");
  }
  if (m.is_new ? norms > 2 : m.has_two_norms) {
    c.reject("num_ln_in_parallel_attn", "does not fit the architecture; the model cannot run");
  }
  m.has_alibi = is_on("alibi", false);
  m.bias = Bias{is_on("bias", false)};
  m.inner = c.size({"ffn_hidden_size"}, 4 * m.hidden);
  m.activation = activation_field(c, {"activation"}, "gelu");
  if (!c.flag({"is_causal"}, true)) c.reject("is_causal", "must be true for this family");
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.rope = rope_kind(c);
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  return m;
}

// FalconLinear adds its bias apart.
Tensor falcon_linear(const Falcon& m, const Tensor& x, std::string_view name,
                     std::int64_t out_features) {
  Module self(*x.trace, name, "FalconLinear", Module::Kind::kPrimitive);
  const Tensor weight = x.trace->parameter({out_features, x.dim(-1)});
  if (m.bias == Bias::kNo) return self.returns(matmul(x, weight.t()));
  const Tensor offset = x.trace->parameter({out_features});
  return self.returns(matmul(x, weight.t()) + offset);
}

struct Heads {
  Tensor q, k, v;  // [b, s, heads, d]
};

Heads split(const Falcon& m, const Tensor& fused) {
  const std::int64_t batch = fused.dim(0);
  const std::int64_t length = fused.dim(1);
  if (m.is_new) {
    // Every key-value head lies behind the query heads of its group, and is repeated for them.
    const std::int64_t groups = m.heads / m.kv_heads;
    const Tensor all = fused.view({batch, length, m.kv_heads, groups + 2, m.head_dim});
    const Tensor q = all.slice(3, 0, groups);
    const Tensor k = pick(all, 3).expand(q.size);
    const Tensor v = pick(all, 3).expand(q.size);
    const Dims merged{batch, length, m.heads, m.head_dim};
    const Tensor merged_q = q.reshape(merged);
    const Tensor merged_k = k.reshape(merged);
    return {merged_q, merged_k, v.reshape(merged)};
  }
  if (m.is_multi_query) {
    const Tensor all = fused.view({batch, length, m.heads + 2, m.head_dim});
    const Tensor k = pick(all, 2);
    return {all.slice(2, 0, m.heads), k, pick(all, 2)};
  }
  const Tensor part = fused.view({batch, length, m.heads, 3, m.head_dim}).select(3);
  return {part, part, part};
}

struct Positions {
  Rotary rotary;
  Mask alibi;  // [b, h, 1, k]
  Tensor mask;
};

Tensor eager_scores(const Falcon& m, const Tensor& q, const Tensor& k, const Positions& at) {
  const Tensor product = matmul(q, k.transpose(2, 3));
  if (!m.has_alibi) return softmax(in_place(Op::kDivInPlace, product) + at.mask);
  const Tensor biased = product.to(DType::kFloat32) + *at.alibi;
  const Tensor scores = in_place(Op::kMulInPlace, biased) + at.mask;
  return softmax(scores.to(q.dtype));
}

Tensor self_attention(const Falcon& m, const Tensor& x, const Positions& at) {
  Module self(*x.trace, "self_attention", "FalconAttention");
  const std::int64_t width = (m.heads + 2 * m.kv_heads) * m.head_dim;
  const Heads heads = split(m, falcon_linear(m, x, "query_key_value", width));
  Tensor q = heads.q.transpose(1, 2);
  Tensor k = heads.k.transpose(1, 2);
  Tensor v = heads.v.transpose(1, 2);
  if (!m.has_alibi) {
    q = apply_rotary(q, at.rotary);
    k = apply_rotary(k, at.rotary);
  }
  m.cache.update(k, v);
  const Tensor y = x.trace->is_eager() ? matmul(eager_scores(m, q, k, at), v)
                                       : scaled_dot_product_attention(q, k, v, {.mask = at.mask});
  return self.returns(falcon_linear(m, y.transpose(1, 2).flatten_from(2), "dense", m.hidden));
}

Tensor mlp(const Falcon& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "FalconMLP");
  const Tensor wide =
      activation(falcon_linear(m, x, "dense_h_to_4h", m.inner), "act", m.activation);
  return self.returns(falcon_linear(m, wide, "dense_4h_to_h", m.hidden));
}

Tensor layer(const Falcon& m, const Tensor& x, const Positions& at, std::int64_t index) {
  Module self(*x.trace, item("h", index), "FalconDecoderLayer");
  const Tensor normed = layer_norm(x, m.has_two_norms ? "ln_attn" : "input_layernorm");
  const Tensor for_mlp = m.has_two_norms ? layer_norm(x, "ln_mlp") : normed;
  const Tensor attended = self_attention(m, normed, at);
  if (!m.is_parallel) {
    const Tensor residual = x + attended;
    const Tensor fed = mlp(m, layer_norm(residual, "post_attention_layernorm"));
    return self.returns(residual + fed);
  }
  const Tensor fed = mlp(m, for_mlp);
  return self.returns(x + in_place(Op::kAddInPlace, fed, attended));
}

// build_alibi_tensor(): a slope for every head times the places of the keys, in bf16.
Tensor alibi(const Falcon& m, Trace& trace, std::int64_t keys) {
  const std::int64_t batch = trace.pass().batch;
  const Tensor ones = fill(trace, Op::kOnes, DType::kInt64, {batch, keys});
  const Tensor slopes = alibi_slopes(trace, m.heads);
  const Tensor places = (cumsum(ones) - 1.0) * ones;
  const Tensor steep = slopes.unsqueeze(1).to(DType::kBfloat16);
  const Tensor bias =
      (steep * places.unsqueeze(1)).reshape({saturating_mul(batch, m.heads), 1, keys});
  return bias.to(trace.dtype()).view({batch, m.heads, 1, keys});
}

// The mask with the biases in it: the same for every layer.
Tensor biased_mask(const Tensor& causal, const Tensor& biases) {
  Trace& trace = *causal.trace;
  Tensor mask = causal;
  if (mask.dtype == DType::kBool) {
    const Tensor zero = fill(trace, Op::kFull, trace.dtype(), {});
    const Tensor lowest = scalar(trace, trace.dtype());
    mask = where(mask, zero, lowest);
  }
  const Tensor scaled = biases / 1.0;
  return masked_fill(scaled, predicate(Op::kLt, mask));
}

DecoderOutput model(const Falcon& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "FalconModel");
  const Pass& pass = trace.pass();
  const std::int64_t keys = m.cache.keys(pass.seq);
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  Tensor x = embedding(out.ids, "word_embeddings", m.vocab, m.hidden, &out.words);
  Positions at;
  if (m.has_alibi) at.alibi = alibi(m, trace, keys);
  const Tensor places = position_ids(trace, pass.seq);
  at.mask = explicit_causal_mask(trace, {pass.batch, pass.seq, keys});
  if (m.has_alibi) at.mask = biased_mask(at.mask, *at.alibi);
  // It is worked out even where ALiBi stands in for it.
  at.rotary = rotary_embedding(places, "rotary_emb", "FalconRotaryEmbedding", m.head_dim, m.rope);
  for (std::int64_t i = 0; i < m.layers; ++i) x = layer(m, x, at, i);
  out.hidden = self.returns(layer_norm(x, "ln_f"));
  return out;
}

constexpr DecoderClasses<Falcon> kDecoder{
    .prefix = "Falcon", .base = "transformer", .read = read, .model = model};

constexpr ModelClass kClasses[] = {
    {"FalconModel", base_model<kDecoder>},
    {"FalconForCausalLM", causal_lm<kDecoder>},
    {"FalconForSequenceClassification", sequence_classification<kDecoder>},
    {"FalconForTokenClassification", token_classification<kDecoder>},
    {"FalconForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kFalcon;
constexpr Family kFalcon{"falcon", kClasses};

}  // namespace wattree
