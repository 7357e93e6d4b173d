// Phi-3 and Phi-4 (Abdin et al. 2024): Llama with packed projections and heads that may turn in
// part.
#include "src/models/families/fields.h"
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

Tensor self_attention(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, "self_attn", "Phi3Attention");
  const std::int64_t queries = m.heads * m.head_dim;
  const std::int64_t keys = m.kv_heads * m.head_dim;
  const Tensor qkv = linear(x, "qkv_proj", queries + 2 * keys, Bias::kNo);
  Tensor q = split_heads(qkv.slice(-1, 0, queries), m.head_dim);
  Tensor k = split_heads(qkv.slice(-1, queries, queries + keys), m.head_dim);
  const Tensor v = split_heads(qkv.slice(-1, queries + keys, queries + 2 * keys), m.head_dim);
  q = join_rest(turned_part(q, input.rotary), q);
  k = join_rest(turned_part(k, input.rotary), k);
  return self.returns(linear(cached_attention(m, q, k, v, input), "o_proj", m.hidden, Bias::kNo));
}

Tensor mlp(const RopeDecoder& m, const Tensor& x, std::int64_t) {
  Module self(*x.trace, "mlp", "Phi3MLP");
  const Tensor both = linear(x, "gate_up_proj", 2 * m.intermediate, Bias::kNo);
  const Tensor gate = activation(both.slice(-1, 0, m.intermediate), "activation_fn", m.activation);
  const Tensor y = both.slice(-1, m.intermediate, 2 * m.intermediate) * gate;
  return self.returns(linear(y, "down_proj", m.hidden, Bias::kNo));
}

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Phi3",
                                        .vocab = 32064,
                                        .hidden = 3072,
                                        .layers = 32,
                                        .heads = 32,
                                        .intermediate = 8192,
                                        .activation = "silu",
                                        .masks = Masks::kWindow,
                                        .has_padding_token = true,
                                        .default_padding = 32000,
                                        .own_attention = self_attention,
                                        .feed_forward = mlp});
  m.rotary_dim = rotary_size(c, m.head_dim, 1.0);
  read_window(c, m);
  // Early files call the long rope "su" or "yarn".
  std::optional<ConfigReader> rope = rope_settings(c);
  const std::string type = rope ? rope->text({"rope_type", "type"}, "default") : "default";
  if (type == "yarn") m.rope = RopeKind::kLong;
  if (type != "default" && m.rope != RopeKind::kLong) {
    c.reject("rope_scaling", "has the type \"" + type + "\"; this family knows only \"longrope\"");
  }
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Phi3Model", rope_decoder_class<read, rope_decoder_base>},
    {"Phi3ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Phi3ForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Phi3ForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
};

}  // namespace

extern const Family kPhi3;
constexpr Family kPhi3{"phi3", kClasses};

}  // namespace wattree
