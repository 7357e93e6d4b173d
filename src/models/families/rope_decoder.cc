#include "src/models/families/rope_decoder.h"

#include "src/base/checked.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"

namespace wattree {
namespace {
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 40;  // As of any size in a config.
}  // namespace

RopeDecoder read_rope_decoder(ConfigReader& c, const RopeDecoder& defaults) {
  RopeDecoder m = defaults;
  m.vocab = c.size({"vocab_size"}, defaults.vocab);
  m.hidden = c.size({"hidden_size"}, defaults.hidden);
  m.layers = c.layers({"num_hidden_layers"}, defaults.layers);
  m.heads = c.size({"num_attention_heads"}, defaults.heads);
  m.kv_heads =
      c.optional_size({"num_key_value_heads"}, defaults.kv_heads > 0 ? defaults.kv_heads : m.heads)
          .value_or(m.heads);
  c.divide(m.heads, m.kv_heads, "num_attention_heads", "num_key_value_heads");
  if (defaults.head_dim > 0 || c.has({"head_dim"})) {
    m.head_dim = c.size({"head_dim"}, defaults.head_dim);
  } else {
    m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  }
  if (saturating_mul(m.heads, m.head_dim) > kMaxWidth) {
    c.reject("head_dim", "is too large for " + std::to_string(m.heads) + " heads");
  }
  m.intermediate = c.size({"intermediate_size"}, defaults.intermediate);
  m.activation = activation_field(c, {"hidden_act"}, defaults.activation);
  m.uses_cache = c.flag({"use_cache"}, true);
  m.is_tied = c.flag({"tie_word_embeddings"}, defaults.is_tied);
  m.has_padding_token = c.has({"pad_token_id"}, defaults.has_padding_token);
  const double padding = c.number({"pad_token_id"}, static_cast<double>(defaults.default_padding));
  if (m.has_padding_token && padding >= static_cast<double>(m.vocab))
    c.reject("pad_token_id", "is not in the vocabulary; the model cannot be built");
  m.rope = rope_kind(c);
  m.sees_ahead = !c.flag({"is_causal"}, true);
  return m;
}

void read_layer_types(ConfigReader& c, RopeDecoder& m) {
  std::vector<bool> slides = sliding_layers(c, m.layers);
  if (slides.empty()) return;
  m.slides = std::move(slides);
  for (bool slides_here : m.slides) {
    if (slides_here && !m.window)
      c.reject("layer_types", "has sliding layers, but there is no window");
  }
}

void read_window(ConfigReader& c, RopeDecoder& m, std::optional<std::int64_t> otherwise) {
  m.window = c.optional_size({"sliding_window"}, otherwise);
  read_layer_types(c, m);
}

void read_switched_window(ConfigReader& c, RopeDecoder& m) {
  m.window.reset();
  if (c.flag({"use_sliding_window"}, false)) m.window = c.optional_size({"sliding_window"}, 4096);
  const std::int64_t first = c.count({"max_window_layers"}, 28);
  for (std::int64_t i = 0; i < m.layers; ++i) m.slides.push_back(m.window && i >= first);
  read_layer_types(c, m);
}

Cache RopeDecoder::cache(const Trace& trace, std::int64_t layer) const {
  Cache cache{has_cache(trace), trace.pass().past, std::nullopt};
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
  const Tensor y = attention(q, keys, values,
                             {.mask = input.mask,
                              .is_causal = m.is_causal && !m.sees_ahead,
                              .softmax_in_f32 = true,
                              .softcap = m.caps_scores});
  return y.flatten_from(2);
}

namespace {

Tensor self_attention(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, "self_attn", m.type("Attention"));
  const std::string norm = m.type("RMSNorm");
  auto project = [&](std::string_view name, std::int64_t heads, std::string_view head_norm) {
    Tensor y = linear(x, name, heads * m.head_dim, m.qkv_bias);
    const HeadNorm kind = head_norm.empty() ? HeadNorm::kNone : m.head_norm;
    if (kind == HeadNorm::kAll) y = m.norm(y, head_norm, norm);
    y = y.view({x.dim(0), x.dim(1), -1, m.head_dim});
    if (kind == HeadNorm::kEach) y = m.norm(y, head_norm, norm);
    return y.transpose(1, 2);
  };
  Tensor q = project("q_proj", m.heads, "q_norm");
  Tensor k = project("k_proj", m.kv_heads, "k_norm");
  const Tensor v = project("v_proj", m.kv_heads, "");
  if (m.head_norm == HeadNorm::kEachSplit) {
    q = m.norm(q, "q_norm", norm);
    k = m.norm(k, "k_norm", norm);
  }
  const Tensor turned_q = apply_rotary(q, input.rotary);
  const Tensor turned_k = apply_rotary(k, input.rotary);
  x.trace->keep_until_now({&q, &k});  // Both are turned by one call.
  q = turned_q;
  k = turned_k;
  q = q.to(x.dtype);
  k = k.to(x.dtype);
  const Tensor y = cached_attention(m, q, k, v, input);
  return self.returns(linear(y, "o_proj", m.hidden, m.output_bias));
}

Tensor feed_forward(const RopeDecoder& m, const Tensor& x, std::int64_t layer) {
  return m.feed_forward
             ? m.feed_forward(m, x, layer)
             : gated_mlp(x, "mlp", m.type("MLP"), m.intermediate, m.activation, m.mlp_bias);
}

Tensor decoder_layer(const RopeDecoder& m, const Tensor& x, const LayerInput& input) {
  Module self(*x.trace, item("layers", input.index), m.type("DecoderLayer"));
  const std::string norm = m.type("RMSNorm");
  auto attend = [&](const Tensor& y) {
    return m.own_attention ? m.own_attention(m, y, input) : self_attention(m, y, input);
  };
  auto added = [&](const Tensor& residual, const Tensor& y) {
    return residual + (m.has_multipliers ? y * 1.0 : y);
  };
  const bool norms_inputs = m.norm_place != NormPlace::kAfter;
  const bool norms_outputs = m.norm_place != NormPlace::kBefore;
  Tensor y = attend(norms_inputs ? m.norm(x, "input_layernorm", norm) : x);
  if (norms_outputs) y = m.norm(y, "post_attention_layernorm", norm);
  const Tensor attended = added(x, y);
  const std::string_view middle =
      norms_outputs ? "pre_feedforward_layernorm" : "post_attention_layernorm";
  y = feed_forward(m, norms_inputs ? m.norm(attended, middle, norm) : attended, input.index);
  if (norms_outputs) y = m.norm(y, "post_feedforward_layernorm", norm);
  return self.returns(added(attended, y));
}

// The masks of a pass: for each kind of layer the one it gets.
struct LayerMasks {
  Mask full;
  Mask sliding;
};

LayerMasks make_masks(const RopeDecoder& m, Trace& trace, const Tensor& places) {
  const Pass& pass = trace.pass();
  auto make = [&](bool slides) {
    // It is sized by the cache of the first layer of its kind; by the first layer's where there is
    // none.
    std::int64_t layer = 0;
    while (layer < m.layers && m.slides_at(layer) != slides) ++layer;
    const std::int64_t keys =
        m.layers > 0 ? m.cache(trace, layer < m.layers ? layer : 0).keys(pass.seq) : pass.seq;
    const MaskSizes sizes{pass.batch, pass.seq, keys};
    std::optional<std::int64_t> window;
    if (slides) window = m.window.value_or(0);
    if (m.sees_ahead) return bidirectional_mask(trace, sizes, window);
    if (!m.has_cache(trace)) check_packed_sequences(places, pass.batch);
    return m.overlays_masks ? Mask(overlaid_causal_mask(trace, sizes, window))
                            : causal_mask(trace, sizes, window);
  };
  LayerMasks masks;
  switch (m.masks) {
    case Masks::kFull: masks.full = masks.sliding = make(false); break;
    case Masks::kWindow: masks.full = masks.sliding = make(m.window.has_value()); break;
    case Masks::kByKind: {
      masks.full = make(false);
      bool any = false;
      for (std::int64_t i = 0; i < m.layers; ++i) any = any || m.slides_at(i);
      if (any) masks.sliding = make(true);
      break;
    }
    case Masks::kBoth:
      masks.full = make(false);
      masks.sliding = make(true);
      break;
  }
  return masks;
}

// The rotary embeddings of a pass, likewise.
struct LayerRotaries {
  Rotary full;
  Rotary sliding;
};

LayerRotaries make_rotaries(const RopeDecoder& m, Trace& trace, const Tensor& places) {
  auto make = [&](RopeKind kind, std::int32_t run) {
    return rotary_embedding(places, "rotary_emb", m.type("RotaryEmbedding"), m.rotary_size(), kind,
                            run, m.turns_in_f32 ? DType::kFloat32 : trace.dtype());
  };
  LayerRotaries rotaries;
  if (!m.sliding_rope) {
    rotaries.full = rotaries.sliding = make(m.rope, -1);
    return rotaries;
  }
  // One call for each kind of layer that there is.
  std::int64_t sliding = 0;
  for (std::int64_t i = 0; i < m.layers; ++i) sliding += m.slides_at(i) ? 1 : 0;
  const bool runs_twice = sliding > 0 && sliding < m.layers;
  if (sliding > 0) rotaries.sliding = make(*m.sliding_rope, runs_twice ? 0 : -1);
  if (sliding < m.layers) rotaries.full = make(m.rope, runs_twice ? 1 : -1);
  return rotaries;
}

}  // namespace

DecoderOutput rope_decoder_model(const RopeDecoder& m, Trace& trace, std::string_view name) {
  Module self(trace, name, m.text_type("Model"));
  const Pass& pass = trace.pass();
  DecoderOutput out;
  out.ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  Tensor x = m.scales_embedding
                 ? scaled_embedding(out.ids, m.embedding, m.type("TextScaledWordEmbedding"),
                                    m.vocab, m.hidden, &out.words)
                 : embedding(out.ids, m.embedding, m.vocab, m.hidden, &out.words);
  if (m.has_multipliers) x = x * 1.0;
  const Tensor places = position_ids(trace, pass.seq);
  const LayerMasks masks = make_masks(m, trace, places);
  const LayerRotaries rotaries = make_rotaries(m, trace, places);
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const LayerInput input = m.slides_at(i) ? LayerInput{i, rotaries.sliding, masks.sliding}
                                            : LayerInput{i, rotaries.full, masks.full};
    x = m.own_layer ? m.own_layer(m, x, input) : decoder_layer(m, x, input);
  }
  out.hidden = self.returns(m.norm(x, m.final_norm, m.type("RMSNorm")));
  return out;
}

void rope_decoder_base(const RopeDecoder& m, Trace& trace, ConfigReader& c) {
  if (!c.ok()) return;
  rope_decoder_model(m, trace, "");
}

void rope_decoder_causal_lm(const RopeDecoder& m, Trace& trace, ConfigReader& c) {
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForCausalLM"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  trace.keep(out.hidden);
  Tensor logits =
      language_model_head(kept_positions(out.hidden), "lm_head", out.words, m.is_tied, m.head_bias);
  if (m.has_multipliers) logits = logits / 1.0;
  if (m.caps_logits) logits = unary(Op::kTanh, logits / 1.0) * 1.0;
  self.returns(logits);
  if (m.after_head) m.after_head(trace);
}

void rope_decoder_classification(const RopeDecoder& m, Trace& trace, ConfigReader& c) {
  if (!c.ok()) return;
  Module self(trace, "", m.text_type("ForSequenceClassification"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  self.returns(last_token_classification(out.hidden, out.ids, c, "score", m.has_padding_token));
}

void rope_decoder_token_classification(const RopeDecoder& m, Trace& trace, ConfigReader& c) {
  const std::int64_t labels = label_count(c);
  const Bias bias{c.flag({"token_classification_bias"}, true)};
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForTokenClassification"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.base);
  self.returns(linear(out.hidden, "score", labels, bias));
}

void rope_decoder_question_answering(const RopeDecoder& m, Trace& trace, ConfigReader& c) {
  if (!c.ok()) return;
  Module self(trace, "", m.type("ForQuestionAnswering"));
  const DecoderOutput out = rope_decoder_model(m, trace, m.answering_body);
  self.returns(question_answering_head(out.hidden));
}

}  // namespace wattree
