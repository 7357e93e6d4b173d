// Phi-1 to Phi-2 (Gunasekar et al. 2023): attention and MLP side by side after one norm, heads that
// turn in part, biases everywhere.
#include "src/models/families/fields.h"
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

Tensor norm(const Tensor& x, std::string_view name, std::string_view) {
  return layer_norm(x, name);
}

Tensor self_attention(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, "self_attn", "PhiAttention");
  Tensor q = split_heads(linear(x, "q_proj", m.heads * m.head_dim), m.head_dim);
  Tensor k = split_heads(linear(x, "k_proj", m.kv_heads * m.head_dim), m.head_dim);
  const Tensor v = split_heads(linear(x, "v_proj", m.kv_heads * m.head_dim), m.head_dim);
  if (m.head_norm == HeadNorm::kEach) {
    q = layer_norm(q, "q_layernorm");
    k = layer_norm(k, "k_layernorm");
  }
  const Tensor turned_q = turned_part(q, input.rotary);
  const Tensor turned_k = turned_part(k, input.rotary);
  q = join_rest(turned_q, q);
  k = join_rest(turned_k, k);
  return self.returns(linear(cached_attention(m, q, k, v, input), "dense", m.hidden));
}

Tensor mlp(const RopeDecoder& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "PhiMLP");
  const Tensor wide = activation(linear(x, "fc1", m.intermediate), "activation_fn", m.activation);
  return self.returns(linear(wide, "fc2", m.hidden));
}

Tensor layer(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, item("layers", input.index), "PhiDecoderLayer");
  const Tensor y = layer_norm(x, "input_layernorm");
  const Tensor attended = self_attention(m, y, input);
  const Tensor fed = mlp(m, y);
  return self.returns(attended + fed + x);
}

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Phi",
                                        .vocab = 51200,
                                        .hidden = 2048,
                                        .layers = 24,
                                        .heads = 32,
                                        .intermediate = 8192,
                                        .activation = "gelu_new",
                                        .norm = norm,
                                        .final_norm = "final_layernorm",
                                        .head_bias = Bias::kYes,
                                        .own_layer = layer});
  m.rotary_dim = rotary_size(c, m.head_dim, 0.5);
  if (m.rotary_dim % 2 != 0) {
    c.reject("partial_rotary_factor", "leaves an odd number of dimensions of a head to turn");
  }
  if (c.flag({"qk_layernorm"}, false)) m.head_norm = HeadNorm::kEach;
  read_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"PhiModel", rope_decoder_class<read, rope_decoder_base>},
    {"PhiForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"PhiForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"PhiForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
};

}  // namespace

extern const Family kPhi;
constexpr Family kPhi{"phi", kClasses};

}  // namespace wattree
