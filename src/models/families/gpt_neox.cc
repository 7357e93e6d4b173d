// GPT-NeoX and Pythia (Black et al. 2022; Biderman et al. 2023): one projection to queries, keys
// and values, heads that turn in part, attention and MLP side by side.
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

Tensor norm(const Tensor& x, std::string_view name, std::string_view) {
  return layer_norm(x, name);
}

Tensor self_attention(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, "attention", "GPTNeoXAttention");
  const Tensor qkv =
      split_heads(linear(x, "query_key_value", 3 * m.hidden, m.qkv_bias), 3 * m.head_dim);
  auto part = [&](std::int64_t i) { return qkv.slice(3, i * m.head_dim, (i + 1) * m.head_dim); };
  const Tensor turned_q = turned_part(part(0), input.rotary);
  const Tensor turned_k = turned_part(part(1), input.rotary);
  const Tensor q = join_rest(turned_q, part(0));
  const Tensor k = join_rest(turned_k, part(1));
  const Tensor y = cached_attention(m, q, k, part(2), input);
  return self.returns(linear(y, "dense", m.hidden, m.output_bias));
}

Tensor mlp(const RopeDecoder& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "GPTNeoXMLP");
  const Tensor wide = activation(linear(x, "dense_h_to_4h", m.intermediate), "act", m.activation);
  return self.returns(linear(wide, "dense_4h_to_h", m.hidden));
}

template <bool is_parallel>
Tensor layer(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, item("layers", input.index), "GPTNeoXLayer");
  Tensor attended = self_attention(m, layer_norm(x, "input_layernorm"), input);
  if (!is_parallel) attended = attended + x;
  const Tensor& source = is_parallel ? x : attended;
  const Tensor fed = mlp(m, layer_norm(source, "post_attention_layernorm")) + attended;
  return self.returns(is_parallel ? fed + x : fed);
}

// Dimensions that turn, in pairs: an odd one turns with a neighbour.
std::int64_t rotary_dim(ConfigReader& c, const RopeDecoder& m) {
  double factor = c.number({"rotary_pct"}, 0.25);
  if (std::optional<ConfigReader> rope = rope_settings(c)) {
    factor = rope->number({"partial_rotary_factor"}, factor);
  }
  const double turning = static_cast<double>(m.head_dim) * factor;
  if (turning >= 1.0 && turning <= static_cast<double>(m.head_dim)) {
    const std::int64_t pairs = (static_cast<std::int64_t>(turning) + 1) / 2;
    if (2 * pairs <= m.head_dim) return 2 * pairs;
  }
  c.reject("rotary_pct", "leaves none or more than all of the " + std::to_string(m.head_dim) +
                             " dimensions of a head to turn");
  return m.head_dim;
}

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "GPTNeoX",
                                        .vocab = 50432,
                                        .hidden = 6144,
                                        .layers = 44,
                                        .heads = 64,
                                        .intermediate = 24576,
                                        .activation = "gelu",
                                        .norm = norm,
                                        .embedding = "embed_in",
                                        .final_norm = "final_layer_norm",
                                        .base = "gpt_neox"});
  // Neither grouped heads nor heads of another size.
  m.kv_heads = m.heads;
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.rotary_dim = rotary_dim(c, m);
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, true)};
  m.own_layer = c.flag({"use_parallel_residual"}, true) ? layer<true> : layer<false>;
  return m;
}

void base(Trace& trace, ConfigReader& c) { rope_decoder_base(read(c), trace, c); }
void causal_lm(Trace& trace, ConfigReader& c) { rope_decoder_causal_lm(read(c), trace, c); }
void classification(Trace& trace, ConfigReader& c) {
  rope_decoder_classification(read(c), trace, c);
}

void token_classification(Trace& trace, ConfigReader& c) {
  const RopeDecoder m = read(c);
  const std::int64_t labels = label_count(c);
  if (!c.ok()) return;
  Module self(trace, "", "GPTNeoXForTokenClassification");
  self.returns(linear(rope_decoder_model(m, trace, m.base).hidden, "classifier", labels));
}

void question_answering(Trace& trace, ConfigReader& c) {
  const RopeDecoder m = read(c);
  if (!c.ok()) return;
  Module self(trace, "", "GPTNeoXForQuestionAnswering");
  self.returns(question_answering_head(rope_decoder_model(m, trace, m.base).hidden));
}

constexpr ModelClass kClasses[] = {
    {"GPTNeoXModel", base},
    {"GPTNeoXForCausalLM", causal_lm},
    {"GPTNeoXForSequenceClassification", classification},
    {"GPTNeoXForTokenClassification", token_classification},
    {"GPTNeoXForQuestionAnswering", question_answering},
};

}  // namespace

extern const Family kGptNeoX;
constexpr Family kGptNeoX{"gpt_neox", kClasses};

}  // namespace wattree
