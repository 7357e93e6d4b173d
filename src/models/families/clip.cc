// CLIP (Radford et al. 2021): a text and an image encoder whose results are compared. Each of the
// two is also a model of its own.
#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/pre_norm_encoder.h"

namespace wattree {
namespace {

constexpr std::int64_t kTextPositions = 77;
constexpr PreNormNames kNames{"CLIPEncoderLayer", "CLIPAttention", "CLIPMLP",    "self_attn",
                              "out_proj",         "layer_norm1",   "layer_norm2"};

struct Text {
  PreNormEncoder encoder;
  std::int64_t vocab, positions, projection;
  bool ends_at_largest_id;
};

Text read_text(ConfigReader c, const Trace& trace) {
  Text m;
  m.encoder = read_pre_norm_encoder(c, {.hidden = 512,
                                        .layers = 12,
                                        .heads = 8,
                                        .head_dim = 0,
                                        .intermediate = 2048,
                                        .activation = "quick_gelu"});
  m.vocab = c.size({"vocab_size"}, 49408);
  m.positions = c.size({"max_position_embeddings"}, kTextPositions);
  m.projection = c.size({"projection_dim"}, 512);
  // An end token of 2 is an old mistake in published configs; the largest id is looked for then.
  m.ends_at_largest_id = c.count({"eos_token_id"}, 49407) == 2;
  check_positions(c, trace.pass().seq, m.positions, "max_position_embeddings",
                  length_field(trace.pass()));
  return m;
}

struct Vision {
  PreNormEncoder encoder;
  std::int64_t image, patch, channels, projection;

  std::int64_t positions() const {
    return saturating_add(saturating_mul(image / patch, image / patch), 1);
  }
};

Vision read_vision(ConfigReader c) {
  Vision m;
  m.encoder = read_pre_norm_encoder(c, {.hidden = 768,
                                        .layers = 12,
                                        .heads = 12,
                                        .head_dim = 0,
                                        .intermediate = 3072,
                                        .activation = "quick_gelu"});
  m.image = c.size({"image_size"}, 224);
  m.patch = c.size({"patch_size"}, 32);
  m.channels = c.size({"num_channels"}, 3);
  m.projection = c.size({"projection_dim"}, 512);
  return m;
}

// Older files hold a part's config twice, and then the "_dict" is the one that counts.
ConfigReader part_of(ConfigReader& c, std::string_view name, std::string_view old_name) {
  return c.part(c.has({old_name}) ? old_name : name);
}
ConfigReader text_part(ConfigReader& c) { return part_of(c, "text_config", "text_config_dict"); }
ConfigReader vision_part(ConfigReader& c) {
  return part_of(c, "vision_config", "vision_config_dict");
}

Tensor encoder(const PreNormEncoder& e, const Tensor& x, const AttentionOptions& options) {
  Module self(*x.trace, "encoder", "CLIPEncoder");
  return self.returns(pre_norm_layers(e, kNames, x, options));
}

Tensor text_embeddings(const Text& m, const Tensor& ids) {
  Module self(*ids.trace, "embeddings", "CLIPTextEmbeddings");
  const Tensor places = ids.trace->buffer(DType::kInt64, {1, m.positions}).slice(1, 0, ids.dim(1));
  const Tensor words = embedding(ids, "token_embedding", m.vocab, m.encoder.hidden);
  const Tensor positions = embedding(places, "position_embedding", m.positions, m.encoder.hidden);
  return self.returns(words + positions);
}

// The state at the end token of every sequence.
Tensor text_model(const Text& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "CLIPTextModel");
  const std::int64_t batch = trace.pass().batch;
  const std::int64_t seq = trace.pass().seq;
  const Tensor ids = trace.input(DType::kInt64, {batch, seq});
  Tensor x = text_embeddings(m, ids);
  trace.keep(x);
  const Mask mask = causal_mask(trace, {batch, seq, seq});
  x = encoder(m.encoder, x, {.mask = mask, .is_causal = true, .softmax_in_f32 = true});
  x = layer_norm(x, "final_layer_norm");
  const Tensor rows = arange(trace, batch);
  Tensor marks = ids.to(DType::kInt32);
  if (!m.ends_at_largest_id) marks = predicate(Op::kEq, marks).to(DType::kInt32);
  const Tensor ends = reduce(Op::kArgmax, marks, -1, false);
  const Tensor pooled = index(x, {&rows, &ends});
  self.returns(x);
  return pooled;
}

Tensor vision_embeddings(const Vision& m, const Tensor& pixels) {
  Trace& trace = *pixels.trace;
  const std::int64_t hidden = m.encoder.hidden;
  Module self(trace, "embeddings", "CLIPVisionEmbeddings");
  const Tensor first = trace.parameter({hidden});
  const Tensor patches =
      patch_tokens(pixels, "patch_embedding", hidden, {m.patch, m.patch}, Bias::kNo);
  const Tensor start = first.expand({pixels.dim(0), 1, -1});
  const Tensor tokens = cat({&start, &patches}, 1);
  const Tensor places = trace.buffer(DType::kInt64, {1, m.positions()});
  return self.returns(tokens + embedding(places, "position_embedding", m.positions(), hidden));
}

struct Seen {
  Tensor hidden;
  Tensor pooled;
};

Seen vision_model(const Vision& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "CLIPVisionModel");
  const Tensor pixels =
      trace.input(trace.dtype(), {trace.pass().batch, m.channels, m.image, m.image});
  Seen out;
  out.hidden = layer_norm(vision_embeddings(m, pixels), "pre_layrnorm");
  out.hidden = encoder(m.encoder, out.hidden, {.softmax_in_f32 = true});
  out.pooled = layer_norm(out.hidden.select(1), "post_layernorm");
  self.returns(out.hidden);
  return out;
}

Tensor normalized(const Tensor& x) {
  const Tensor squares = unary(Op::kPow, x, {2});
  const Tensor sum = reduce(Op::kSum, squares, -1, true);
  return x / unary(Op::kPow, sum, {0.5});
}

bool is_ready(ConfigReader& c, const Trace& trace) { return is_full_pass(c, trace) && c.ok(); }

void clip(Trace& trace, ConfigReader& c) {
  const Text text = read_text(text_part(c), trace);
  const Vision vision = read_vision(vision_part(c));
  const std::int64_t projection = c.size({"projection_dim"}, 512);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "CLIPModel");
  const Tensor scale = trace.parameter({});
  const Tensor seen = vision_model(vision, trace, "vision_model").pooled;
  Tensor image = linear(seen, "visual_projection", projection, Bias::kNo);
  const Tensor read = text_model(text, trace, "text_model");
  Tensor words = linear(read, "text_projection", projection, Bias::kNo);
  image = normalized(image);
  words = normalized(words);
  const Tensor likeness = matmul(words, image.t());
  self.returns((likeness * unary(Op::kExp, scale)).t());
}

void image_classification(Trace& trace, ConfigReader& c) {
  const Vision m = read_vision(vision_part(c));
  const std::int64_t labels = label_count(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "CLIPForImageClassification");
  const Tensor hidden = vision_model(m, trace, "vision_model").hidden;
  const Tensor mean = reduce(Op::kMean, hidden.slice(1, 1, hidden.dim(1)), 1, false);
  self.returns(linear(mean, "classifier", labels));
}

void text_alone(Trace& trace, ConfigReader& c) {
  const Text m = read_text(c, trace);
  if (is_ready(c, trace)) text_model(m, trace, "");
}

void projected_text(Trace& trace, ConfigReader& c) {
  const Text m = read_text(c, trace);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "CLIPTextModelWithProjection");
  const Tensor pooled = text_model(m, trace, "text_model");
  self.returns(linear(pooled, "text_projection", m.projection, Bias::kNo));
}

void vision_alone(Trace& trace, ConfigReader& c) {
  const Vision m = read_vision(c);
  if (is_ready(c, trace)) vision_model(m, trace, "");
}

void projected_vision(Trace& trace, ConfigReader& c) {
  const Vision m = read_vision(c);
  if (!is_ready(c, trace)) return;
  Module self(trace, "", "CLIPVisionModelWithProjection");
  const Tensor pooled = vision_model(m, trace, "vision_model").pooled;
  self.returns(linear(pooled, "visual_projection", m.projection, Bias::kNo));
}

// A whole model's config also serves for either half.
template <void (*build)(Trace&, ConfigReader&), ConfigReader (*part)(ConfigReader&)>
void of_part(Trace& trace, ConfigReader& c) {
  ConfigReader half = part(c);
  build(trace, half);
}

constexpr ModelClass kBoth[] = {
    {"CLIPModel", clip},
    {"CLIPForImageClassification", image_classification},
    {"CLIPTextModel", of_part<text_alone, text_part>},
    {"CLIPTextModelWithProjection", of_part<projected_text, text_part>},
    {"CLIPVisionModel", of_part<vision_alone, vision_part>},
    {"CLIPVisionModelWithProjection", of_part<projected_vision, vision_part>},
};
constexpr ModelClass kTextClasses[] = {
    {"CLIPTextModel", text_alone},
    {"CLIPTextModelWithProjection", projected_text},
};
constexpr ModelClass kVisionClasses[] = {
    {"CLIPVisionModel", vision_alone},
    {"CLIPVisionModelWithProjection", projected_vision},
};

}  // namespace

extern const Family kClip, kClipText, kClipVision;
constexpr Family kClip{.model_type = "clip", .classes = kBoth, .default_seq = kTextPositions};
constexpr Family kClipText{
    .model_type = "clip_text_model", .classes = kTextClasses, .default_seq = kTextPositions};
constexpr Family kClipVision{.model_type = "clip_vision_model",
                             .classes = kVisionClasses,
                             .has_text_source = false,
                             .default_seq = kTextPositions};

}  // namespace wattree
