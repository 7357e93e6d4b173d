// BLOOM (Le Scao et al. 2022): no positions but a bias on the scores (ALiBi), added by the product
// itself.
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct Bloom {
  std::int64_t vocab, hidden, layers, heads, head_dim;
  std::int64_t slices;  // Products are summed in so many parts; 1: in one.
  bool residual_after_norm, is_tied, has_padding_token;
  Cache cache;
};

Bloom read(ConfigReader& c, const Trace& trace) {
  Bloom m;
  m.vocab = c.size({"vocab_size"}, 250880);
  m.hidden = c.size({"n_embed", "hidden_size"}, 64);
  m.layers = c.layers({"num_hidden_layers", "n_layer"}, 2);
  m.heads = c.size({"num_attention_heads", "n_head"}, 8);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "n_head");
  m.slices = c.flag({"slow_but_exact"}, false) ? c.size({"pretraining_tp"}, 1) : 1;
  if (m.slices > m.hidden) c.reject("pretraining_tp", "is more than hidden_size");
  m.residual_after_norm = c.flag({"apply_residual_connection_post_layernorm"}, false);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  return m;
}

// A slope for every head, times every key's position: [b * heads, 1, keys].
Tensor alibi(const Bloom& m, const Tensor& attention_mask) {
  Trace& trace = *attention_mask.trace;
  const Tensor slopes = alibi_slopes(trace, m.heads);
  const Tensor places = ((cumsum(attention_mask) - 1.0) * attention_mask).unsqueeze(1);
  const Tensor bias = slopes.unsqueeze(1) * places;
  return bias.reshape({saturating_mul(places.dim(0), m.heads), 1, places.dim(2)}).to(trace.dtype());
}

// A projection back to the hidden size. Summed in parts, it is no call of the Linear, whose bias
// then stays unused.
Tensor project(const Bloom& m, const Tensor& x, std::string_view name) {
  if (m.slices == 1) return linear(x, name, m.hidden);
  Trace& trace = *x.trace;
  Tensor weight;
  {
    Module unused(trace, name, "Linear", Module::Kind::kPrimitive);
    weight = trace.parameter({m.hidden, x.dim(-1)});
    trace.parameter({m.hidden});
  }
  Dims size = x.size;
  size[2] = m.hidden;
  Tensor sum = fill_like(Op::kZerosLike, Tensor(&trace, x.dtype, size));
  const double width = static_cast<double>(x.dim(-1)) / static_cast<double>(m.slices);
  for (std::int64_t i = 0; i < m.slices && !trace.failed(); ++i) {
    const auto begin = static_cast<std::int64_t>(static_cast<double>(i) * width);
    const auto end = static_cast<std::int64_t>(static_cast<double>(i + 1) * width);
    Tensor columns = weight.slice(1, begin, end);
    columns.parameter = weight.parameter;
    sum = sum + linear_kernels(x.slice(2, begin, end), columns, nullptr);
  }
  return sum;
}

Tensor self_attention(const Bloom& m, const Tensor& x, const Tensor& residual, const Tensor& bias,
                      const Mask& mask) {
  Module self(*x.trace, "self_attention", "BloomAttention");
  const std::int64_t batch = x.dim(0);
  const std::int64_t products = saturating_mul(batch, m.heads);
  const Tensor qkv = linear(x, "query_key_value", 3 * m.hidden);
  const Tensor part = qkv.view({batch, x.dim(1), m.heads, 3, m.head_dim}).select(3).transpose(1, 2);
  Tensor k = part;
  Tensor v = part;
  m.cache.update(k, v);
  const Tensor q = part.reshape({products, -1, m.head_dim});
  k = k.reshape({products, -1, m.head_dim});
  v = v.reshape({products, -1, m.head_dim});
  Tensor scores = baddbmm(bias, q, k.transpose(1, 2)).view({batch, m.heads, q.dim(1), k.dim(1)});
  if (mask) scores = scores + *mask;
  const Tensor weights = softmax_f32(scores).to(q.dtype).view({products, q.dim(1), k.dim(1)});
  const Tensor y = bmm(weights, v).view({batch, m.heads, q.dim(1), m.head_dim}).transpose(1, 2);
  const Tensor out = project(m, y.flatten_from(2), "dense");
  return self.returns(residual + out);
}

Tensor mlp(const Bloom& m, const Tensor& x, const Tensor& residual) {
  Trace& trace = *x.trace;
  Module self(trace, "mlp", "BloomMLP");
  Tensor y = linear(x, "dense_h_to_4h", 4 * m.hidden);
  {
    Module gelu(trace, "gelu_impl", "BloomGelu", Module::Kind::kMl);
    y = gelu.returns(activation_kernels(y, "gelu_fast"));
  }
  const Tensor out = project(m, y, "dense_4h_to_h");
  return self.returns(residual + out);
}

Tensor block(const Bloom& m, const Tensor& x, const Tensor& bias, const Mask& mask,
             std::int64_t index) {
  Module self(*x.trace, item("h", index), "BloomBlock");
  const Tensor first = layer_norm(x, "input_layernorm");
  const Tensor attended = self_attention(m, first, m.residual_after_norm ? first : x, bias, mask);
  const Tensor second = layer_norm(attended, "post_attention_layernorm");
  return self.returns(mlp(m, second, m.residual_after_norm ? second : attended));
}

DecoderOutput model(const Bloom& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "BloomModel");
  const Pass& pass = trace.pass();
  const std::int64_t keys = m.cache.keys(pass.seq);
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  const Tensor words = embedding(out.ids, "word_embeddings", m.vocab, m.hidden, &out.words);
  Tensor x = layer_norm(words, "word_embeddings_layernorm");
  const Tensor ones = fill(trace, Op::kOnes, DType::kFloat32, {pass.batch, keys});
  const Tensor bias = alibi(m, ones);
  const Mask mask = causal_mask(trace, {pass.batch, pass.seq, keys}, ones);
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, bias, mask, i);
  out.hidden = self.returns(layer_norm(x, "ln_f"));
  return out;
}

constexpr DecoderClasses<Bloom> kDecoder{
    .prefix = "Bloom", .base = "transformer", .read = read, .model = model};

constexpr ModelClass kClasses[] = {
    {"BloomModel", base_model<kDecoder>},
    {"BloomForCausalLM", causal_lm<kDecoder>},
    {"BloomForSequenceClassification", sequence_classification<kDecoder>},
    {"BloomForTokenClassification", token_classification<kDecoder>},
    {"BloomForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kBloom;
constexpr Family kBloom{"bloom", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
