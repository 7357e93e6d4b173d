// ModernBERT (Warner et al. 2024): rotary positions, gated MLPs, and attention over a window in
// most layers.
#include <algorithm>

#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/symbolic/attention.h"

namespace wattree {
namespace {

struct ModernBert {
  std::int64_t vocab, hidden, layers, heads, head_dim, rope_dim, intermediate, window;
  std::vector<bool> slides;
  RopeKind full_rope, sliding_rope;
  std::string activation, classifier_activation;
  Bias norm_bias, attention_bias, mlp_bias, decoder_bias, classifier_bias;
  bool is_tied, pools_mean;
};

// rope_scaling, where given, is laid over the rope of both kinds of layers.
RopeKind rope_of(ConfigReader& c, std::string_view layer_type) {
  ConfigReader over = c.part("rope_scaling");
  const bool is_new = c.has({"rope_parameters"});
  ConfigReader under = c.part("rope_parameters").part(layer_type);
  std::string type = "default";
  if (over.has({"rope_type"})) {
    type = over.text({"rope_type"}, type);
  } else if (is_new) {
    type = under.text({"rope_type"}, over.text({"type"}, under.text({"type"}, type)));
  }
  return rope_kind(type);
}

ModernBert read(ConfigReader& c) {
  ModernBert m;
  m.vocab = c.size({"vocab_size"}, 50368);
  m.hidden = c.size({"hidden_size"}, 768);
  m.layers = c.layers({"num_hidden_layers"}, 22);
  m.heads = c.size({"num_attention_heads"}, 12);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.rope_dim = c.size({"head_dim"}, m.head_dim);
  m.intermediate = c.size({"intermediate_size"}, 1152);
  // local_attention counts both sides.
  m.window = c.size({"local_attention"}, 128) / 2;
  m.window = c.count({"sliding_window"}, m.window);
  m.slides = sliding_layers(c, m.layers);
  if (m.slides.empty()) {
    const std::int64_t every = c.size({"global_attn_every_n_layers"}, 3);
    for (std::int64_t i = 0; i < m.layers; ++i) m.slides.push_back(i % every != 0);
  }
  m.full_rope = rope_of(c, "full_attention");
  m.sliding_rope = rope_of(c, "sliding_attention");
  m.activation = activation_field(c, {"hidden_activation"}, "gelu");
  m.classifier_activation = activation_field(c, {"classifier_activation"}, "gelu");
  m.norm_bias = Bias{c.flag({"norm_bias"}, false)};
  m.attention_bias = Bias{c.flag({"attention_bias"}, false)};
  m.mlp_bias = Bias{c.flag({"mlp_bias"}, false)};
  m.decoder_bias = Bias{c.flag({"decoder_bias"}, true)};
  m.classifier_bias = Bias{c.flag({"classifier_bias"}, false)};
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  const std::string pooling = c.text({"classifier_pooling"}, "cls");
  m.pools_mean = pooling == "mean";
  if (!m.pools_mean && pooling != "cls") c.reject("classifier_pooling", "must be cls or mean");
  return m;
}

// The rotation in fp32, whatever the model's type.
Tensor rotated(const Tensor& x, const Rotary& rotary) {
  const Tensor straight = x.to(DType::kFloat32) * rotary.cos.unsqueeze(1);
  const Tensor turned = rotate_half(x.to(DType::kFloat32)) * rotary.sin.unsqueeze(1);
  return straight + turned;
}

Tensor self_attention(const ModernBert& m, const Tensor& x, const Rotary& rotary,
                      const Mask& mask) {
  Module self(*x.trace, "attn", "ModernBertAttention");
  const Tensor qkv = linear(x, "Wqkv", 3 * m.hidden, m.attention_bias)
                         .view({x.dim(0), x.dim(1), 3, m.heads, m.head_dim});
  const Tensor heads = qkv.select(2).transpose(1, 2);  // Queries, keys and values lie alike.
  const Tensor q32 = rotated(heads, rotary);
  const Tensor k32 = rotated(heads, rotary);
  const Tensor q = q32.to(x.dtype);
  const Tensor k = k32.to(x.dtype);
  const Tensor y = attention(q, k, heads, {.mask = mask, .softmax_in_f32 = true});
  return self.returns(linear(y.flatten_from(2), "Wo", m.hidden, m.attention_bias));
}

Tensor mlp(const ModernBert& m, const Tensor& x) {
  Module self(*x.trace, "mlp", "ModernBertMLP");
  const Tensor both = linear(x, "Wi", 2 * m.intermediate, m.mlp_bias);
  const Tensor input = activation(both.slice(2, 0, m.intermediate), "act", m.activation);
  const Tensor gated = input * both.slice(2, m.intermediate, 2 * m.intermediate);
  return self.returns(linear(gated, "Wo", m.hidden, m.mlp_bias));
}

Tensor layer(const ModernBert& m, const Tensor& x, const Rotary& rotary, const Mask& mask,
             std::int64_t index) {
  Module self(*x.trace, item("layers", index), "ModernBertEncoderLayer");
  // The embeddings are normed already.
  const Tensor normed = index == 0 ? x : layer_norm(x, "attn_norm", m.norm_bias);
  const Tensor attended = x + self_attention(m, normed, rotary, mask);
  const Tensor fed = mlp(m, layer_norm(attended, "mlp_norm", m.norm_bias));
  return self.returns(attended + fed);
}

struct Output {
  Tensor hidden;
  Tensor words;
};

Output model(const ModernBert& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "ModernBertModel");
  const std::int64_t batch = trace.pass().batch;
  const std::int64_t seq = trace.pass().seq;
  const Tensor ids = trace.input(DType::kInt64, {batch, seq});
  const Tensor places = arange(trace, seq).unsqueeze(0);
  Output out;
  Tensor x;
  {
    Module embeddings(trace, "embeddings", "ModernBertEmbeddings");
    const Tensor words = embedding(ids, "tok_embeddings", m.vocab, m.hidden, &out.words);
    x = embeddings.returns(layer_norm(words, "norm", m.norm_bias));
  }
  // Both masks are made, also where all layers are of one kind; of the ropes only those in use.
  const Mask full = bidirectional_mask(trace, {batch, seq, seq});
  const Mask sliding = bidirectional_mask(trace, {batch, seq, seq}, m.window);
  const auto sliding_count = std::count(m.slides.begin(), m.slides.end(), true);
  const bool has_both = sliding_count > 0 && sliding_count < m.layers;
  auto rope = [&](RopeKind kind, std::int32_t run) {
    return rotary_embedding(places, "rotary_emb", "ModernBertRotaryEmbedding", m.rope_dim, kind,
                            has_both ? run : -1);
  };
  Rotary full_rotary, sliding_rotary;
  if (sliding_count < m.layers) full_rotary = rope(m.full_rope, 0);
  if (sliding_count > 0) sliding_rotary = rope(m.sliding_rope, 1);
  if (m.layers == 0) {
    unused_module(trace, "rotary_emb", "ModernBertRotaryEmbedding", Module::Kind::kMl, {});
  }
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const bool slides = m.slides[static_cast<std::size_t>(i)];
    x = layer(m, x, slides ? sliding_rotary : full_rotary, slides ? sliding : full, i);
  }
  out.hidden = self.returns(layer_norm(x, "final_norm", m.norm_bias));
  return out;
}

Tensor prediction_head(const ModernBert& m, const Tensor& x) {
  Module self(*x.trace, "head", "ModernBertPredictionHead");
  Tensor y = linear(x, "dense", m.hidden, m.classifier_bias);
  y = activation(y, "act", m.classifier_activation);
  return self.returns(layer_norm(y, "norm", m.norm_bias));
}

Tensor pooled(const ModernBert& m, const Tensor& x) {
  if (!m.pools_mean) return x.select(1);
  const Tensor is_text = fill(*x.trace, Op::kOnes, DType::kBool, {x.dim(0), x.dim(1)});
  const Tensor kept = x * is_text.unsqueeze(2);
  const Tensor sum = reduce(Op::kSum, kept, 1, false);
  return sum / reduce(Op::kSum, is_text, 1, true);
}

bool is_ready(ConfigReader& c, const Trace& trace) { return is_full_pass(c, trace) && c.ok(); }

void base(Trace& trace, ConfigReader& c) {
  const ModernBert m = read(c);
  if (is_ready(c, trace)) model(m, trace, "");
}

void masked_lm(Trace& trace, ConfigReader& c) {
  const ModernBert m = read(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "ModernBertForMaskedLM");
  const Output out = model(m, trace, "model");
  const Tensor y = prediction_head(m, out.hidden);
  self.returns(language_model_head(y, "decoder", out.words, m.is_tied, m.decoder_bias));
}

void sequence_classification(Trace& trace, ConfigReader& c) {
  const ModernBert m = read(c);
  const std::int64_t labels = label_count(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "ModernBertForSequenceClassification");
  const Output out = model(m, trace, "model");
  const Tensor y = prediction_head(m, pooled(m, out.hidden));
  self.returns(linear(y, "classifier", labels));
}

void token_classification(Trace& trace, ConfigReader& c) {
  const ModernBert m = read(c);
  const std::int64_t labels = label_count(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "ModernBertForTokenClassification");
  const Output out = model(m, trace, "model");
  const Tensor y = prediction_head(m, out.hidden);
  self.returns(linear(y, "classifier", labels));
}

void question_answering(Trace& trace, ConfigReader& c) {
  const ModernBert m = read(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "ModernBertForQuestionAnswering");
  const Output out = model(m, trace, "model");
  const Tensor y = prediction_head(m, out.hidden);
  self.returns(question_answering_head(y, c, "classifier"));
}

constexpr ModelClass kClasses[] = {
    {"ModernBertModel", base},
    {"ModernBertForMaskedLM", masked_lm},
    {"ModernBertForSequenceClassification", sequence_classification},
    {"ModernBertForTokenClassification", token_classification},
    {"ModernBertForQuestionAnswering", question_answering},
};

}  // namespace

extern const Family kModernBert;
constexpr Family kModernBert{"modernbert", kClasses};

}  // namespace wattree
