#include "src/models/families/bart_layers.h"

#include "src/models/families/fields.h"
#include "src/models/families/seq2seq.h"

namespace wattree {
namespace {

struct Attending {
  bool is_causal = false;
  bool is_cross = false;
  Cache cache = {false, 0, {}};
  Mask mask = std::nullopt;
};

Tensor attend(const BartLayers& m, const BartStack& stack, const Tensor& x, const Tensor& states,
              std::string_view name, const Attending& how) {
  Module self(*x.trace, name, m.type("Attention"));
  auto heads = [&](const Tensor& flat) {
    const Tensor split = split_heads(flat, stack.head_dim);
    return m.is_whisper ? split.contiguous() : split;
  };
  Tensor q = linear(x, "q_proj", m.hidden);
  if (m.is_whisper) q = q * 1.0;
  q = heads(q);
  const auto [k, v] = keys_and_values(states, how.cache, how.is_cross, "k_proj", "v_proj",
                                      [&](const Tensor& from, std::string_view projection) {
                                        const Bias bias{!(m.is_whisper && projection == "k_proj")};
                                        return heads(linear(from, projection, m.hidden, bias));
                                      });
  const Tensor y = attention(q, k, v, {.mask = how.mask, .is_causal = how.is_causal});
  return self.returns(linear(y.flatten_from(2), "out_proj", m.hidden));
}

// A part of a layer around which the residual goes; its norm is before or after.
template <class Part>
Tensor residual(const BartLayers& m, const Tensor& x, std::string_view norm, const Part& part) {
  if (!m.is_whisper) return layer_norm(x + part(x), norm);
  return x + part(layer_norm(x, norm));
}

Tensor feed_forward(const BartLayers& m, const BartStack& stack, const Tensor& x) {
  return residual(m, x, "final_layer_norm", [&](const Tensor& in) {
    const Tensor wide = activation(linear(in, "fc1", stack.inner), "activation_fn", m.activation);
    in.trace->keep_until_now({&in});
    return linear(wide, "fc2", m.hidden);
  });
}

// Half precision overflows. Whisper always cuts what is too large; the others look for it first,
// and cut where they find it, which a sound model gives no reason to.
Tensor guard_overflow(const BartLayers& m, const Tensor& x) {
  if (x.dtype != DType::kFloat16) return x;
  if (m.is_whisper) return unary(Op::kClamp, x);
  Trace& trace = *x.trace;
  const Tensor magnitude = unary(Op::kAbs, x);
  const Tensor is_bounded = predicate(Op::kNe, magnitude);
  const Tensor is_number = predicate(Op::kEq, x, x);
  const Tensor is_finite = is_number * is_bounded;
  trace.emit(Op::kAll, {&is_finite}, trace.tensor(DType::kBool, {}));
  return x;
}

Tensor encoder_layer(const BartLayers& m, Tensor x, std::int64_t index) {
  Module self(*x.trace, item("layers", index), m.type("EncoderLayer"));
  x = residual(m, x, "self_attn_layer_norm",
               [&](const Tensor& in) { return attend(m, m.encoder, in, in, "self_attn", {}); });
  return self.returns(guard_overflow(m, feed_forward(m, m.encoder, x)));
}

Tensor decoder_layer(const BartLayers& m, Tensor x, const Tensor& encoded, const Mask& mask,
                     std::int64_t index) {
  Module self(*x.trace, item("layers", index), m.type("DecoderLayer"));
  x = residual(m, x, "self_attn_layer_norm", [&](const Tensor& in) {
    return attend(m, m.decoder, in, in, "self_attn",
                  {.is_causal = true, .cache = m.cache, .mask = mask});
  });
  x = residual(m, x, "encoder_attn_layer_norm", [&](const Tensor& in) {
    return attend(m, m.decoder, in, encoded, "encoder_attn", {.is_cross = true, .cache = m.cache});
  });
  return self.returns(feed_forward(m, m.decoder, x));
}

}  // namespace

BartLayers read_bart_layers(ConfigReader& c, const Trace& trace, const BartLayers& defaults) {
  BartLayers m = defaults;
  // The general names mean the encoder's, and win where a file has both.
  m.hidden = c.size({"hidden_size", "d_model"}, m.hidden);
  m.encoder.layers = c.layers({"num_hidden_layers", "encoder_layers"}, m.encoder.layers);
  m.encoder.heads = c.size({"num_attention_heads", "encoder_attention_heads"}, m.encoder.heads);
  m.encoder.inner = c.size({"encoder_ffn_dim"}, m.encoder.inner);
  m.encoder.head_dim = c.divide(m.hidden, m.encoder.heads, "d_model", "encoder_attention_heads");
  m.decoder.layers = c.layers({"decoder_layers"}, m.decoder.layers);
  m.decoder.heads = c.size({"decoder_attention_heads"}, m.decoder.heads);
  m.decoder.inner = c.size({"decoder_ffn_dim"}, m.decoder.inner);
  m.decoder.head_dim = c.divide(m.hidden, m.decoder.heads, "d_model", "decoder_attention_heads");
  m.activation = activation_field(c, {"activation_function"}, m.activation);
  m.cache = decoder_cache(c, trace);
  return m;
}

Tensor bart_encoder_layers(const BartLayers& m, Tensor x) {
  for (std::int64_t i = 0; i < m.encoder.layers; ++i) x = encoder_layer(m, x, i);
  return x;
}

Tensor bart_decoder_layers(const BartLayers& m, Tensor x, const Tensor& encoded, const Mask& mask) {
  for (std::int64_t i = 0; i < m.decoder.layers; ++i) x = decoder_layer(m, x, encoded, mask, i);
  return x;
}

}  // namespace wattree
