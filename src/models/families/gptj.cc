// GPT-J (Wang and Komatsuzaki 2021): neighbouring dimensions turn together, attention and MLP side
// by side after one norm.
#include "src/models/families/decoder_classes.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct GptJ {
  std::int64_t vocab, positions, hidden, layers, heads, head_dim, rotary_dim, inner;
  std::string activation;
  bool is_tied, has_padding_token;
  Cache cache;
};

GptJ read(ConfigReader& c, const Trace& trace) {
  GptJ m;
  m.vocab = c.size({"vocab_size"}, 50400);
  m.positions = c.size({"max_position_embeddings", "n_positions"}, 2048);
  m.hidden = c.size({"hidden_size", "n_embd"}, 4096);
  m.layers = c.layers({"num_hidden_layers", "n_layer"}, 28);
  m.heads = c.size({"num_attention_heads", "n_head"}, 16);
  m.head_dim = c.divide(m.hidden, m.heads, "n_embd", "n_head");
  m.rotary_dim = c.size({"rotary_dim"}, 64);
  if (!c.has({"rotary_dim"}, true)) c.reject("rotary_dim", "must be a number");
  if (m.rotary_dim > m.head_dim || m.rotary_dim % 2 != 0) {
    c.reject("rotary_dim", "is " + std::to_string(m.rotary_dim) +
                               "; it must be even and at most a head's " +
                               std::to_string(m.head_dim));
  }
  m.inner = c.size({"n_inner"}, 4 * m.hidden);
  m.activation = activation_field(c, {"activation_function"}, "gelu_new");
  m.is_tied = c.flag({"tie_word_embeddings"}, false);
  m.has_padding_token = c.has({"pad_token_id"}, false);
  m.cache = {c.flag({"use_cache"}, true) || trace.pass().past > 0, trace.pass().past, {}};
  check_positions(c, trace.pass().past + trace.pass().seq, m.positions, "n_positions",
                  length_field(trace.pass()));
  return m;
}

// Sines and cosines of every position [1, s, rotary_dim / 2 each], looked up in a buffer.
Rotary look_up_rotary(const GptJ& m, const Tensor& places) {
  Trace& trace = *places.trace;
  const Tensor buffer = trace.buffer(DType::kFloat32, {m.positions, m.rotary_dim});
  const Tensor table = repeat(buffer, {1, 1, 1});
  const Tensor rows = repeat(places.unsqueeze(2), {1, 1, m.rotary_dim});
  const Tensor both = gather(table, rows).to(trace.dtype());
  return {.cos = both.slice(2, m.rotary_dim / 2, m.rotary_dim),
          .sin = both.slice(2, 0, m.rotary_dim / 2)};
}

// Each of [1, s, d] twice in a row, for all heads: [1, s, 1, 2 d].
Tensor doubled(const Tensor& x) {
  const Tensor pairs = x.unsqueeze(2).unsqueeze(4).expand({-1, -1, -1, -1, 2});
  return clone(pairs).flatten_from(3);
}

// Turns the first dimensions of [b, s, h, d], each with its neighbour.
Tensor turned(const GptJ& m, const Tensor& states, const Rotary& rotary) {
  const Tensor x = states.slice(3, 0, m.rotary_dim);
  const Tensor sin = doubled(rotary.sin);
  const Tensor cos = doubled(rotary.cos);
  const Tensor straight = x * cos;
  const Tensor odd = -x.slice(3, 1, m.rotary_dim, 2);
  const Tensor even = x.slice(3, 0, m.rotary_dim, 2);
  const Tensor across = stack({&odd, &even}, -1).flatten_from(3) * sin;
  return straight + across;
}

Tensor self_attention(const GptJ& m, const Tensor& x, const Tensor& places, const Mask& mask) {
  Module self(*x.trace, "attn", "GPTJAttention");
  Tensor q = linear(x, "q_proj", m.hidden, Bias::kNo).unflatten_last(m.heads, m.head_dim);
  Tensor k = linear(x, "k_proj", m.hidden, Bias::kNo).unflatten_last(m.heads, m.head_dim);
  Tensor v = split_heads(linear(x, "v_proj", m.hidden, Bias::kNo), m.head_dim);
  const Rotary rotary = look_up_rotary(m, places);
  const Tensor turned_k = turned(m, k, rotary);
  const Tensor turned_q = turned(m, q, rotary);
  k = join_rest(turned_k, k).transpose(1, 2);
  q = join_rest(turned_q, q).transpose(1, 2);
  m.cache.update(k, v);
  const Tensor wide_q = q.to(DType::kFloat32);
  const Tensor wide_k = k.to(DType::kFloat32);
  Tensor scores = matmul(wide_q, wide_k.transpose(2, 3)) / 1.0;
  if (mask) scores = scores + *mask;
  const Tensor weights = softmax(scores).to(v.dtype);
  const Tensor y = matmul(weights, v).transpose(1, 2).contiguous();
  return self.returns(linear(y.flatten_from(2), "out_proj", m.hidden, Bias::kNo));
}

Tensor mlp(const GptJ& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "GPTJMLP");
  const Tensor wide = activation(linear(x, "fc_in", m.inner), "act", m.activation);
  return self.returns(linear(wide, "fc_out", m.hidden));
}

Tensor block(const GptJ& m, const Tensor& x, const Tensor& places, const Mask& mask,
             std::int64_t index) {
  Module self(*x.trace, item("h", index), "GPTJBlock");
  const Tensor y = layer_norm(x, "ln_1");
  const Tensor attended = self_attention(m, y, places, mask);
  const Tensor fed = mlp(m, y);
  return self.returns(attended + fed + x);
}

DecoderOutput model(const GptJ& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "GPTJModel");
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  Tensor x = embedding(out.ids, "wte", m.vocab, m.hidden, &out.words);
  const Tensor places = position_ids(trace, pass.seq);
  if (!m.cache.used) check_packed_sequences(places, pass.batch);
  const Mask mask = causal_mask(trace, {pass.batch, pass.seq, m.cache.keys(pass.seq)});
  for (std::int64_t i = 0; i < m.layers; ++i) x = block(m, x, places, mask, i);
  out.hidden = self.returns(layer_norm(x, "ln_f"));
  return out;
}

constexpr DecoderClasses<GptJ> kDecoder{.prefix = "GPTJ",
                                        .base = "transformer",
                                        .read = read,
                                        .model = model,
                                        .head_bias = Bias::kYes,
                                        .answers_by_labels = true};

constexpr ModelClass kClasses[] = {
    {"GPTJModel", base_model<kDecoder>},
    {"GPTJForCausalLM", causal_lm<kDecoder>},
    {"GPTJForSequenceClassification", sequence_classification<kDecoder>},
    {"GPTJForQuestionAnswering", question_answering<kDecoder>},
};

}  // namespace

extern const Family kGptJ;
constexpr Family kGptJ{"gptj", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
