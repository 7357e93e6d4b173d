// ViT (Dosovitskiy et al. 2020).
#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/pre_norm_encoder.h"

namespace wattree {
namespace {

constexpr PreNormNames kNames{"ViTLayer", "ViTAttention",     "ViTMLP",         "attention",
                              "o_proj",   "layernorm_before", "layernorm_after"};

struct Vit {
  PreNormEncoder encoder;
  Dims image, patch;  // Height and width.
  std::int64_t channels, pooled;
  std::string pooler_activation;

  std::int64_t patches() const { return saturating_mul(image[0] / patch[0], image[1] / patch[1]); }
};

Vit read(ConfigReader& c) {
  Vit m;
  m.encoder = read_pre_norm_encoder(c, {.hidden = 768,
                                        .layers = 12,
                                        .heads = 12,
                                        .head_dim = 0,
                                        .intermediate = 3072,
                                        .activation = "gelu"});
  m.encoder.head_dim = c.size({"head_dim"}, m.encoder.head_dim);
  m.encoder.qkv_bias = Bias{c.flag({"qkv_bias"}, true)};
  m.image = height_and_width(c, "image_size", 224);
  m.patch = height_and_width(c, "patch_size", 16);
  m.channels = c.size({"num_channels"}, 3);
  m.pooled = c.count({"pooler_output_size"}, 0);
  if (m.pooled == 0) m.pooled = m.encoder.hidden;
  m.pooler_activation = activation_field(c, {"pooler_act"}, "tanh");
  return m;
}

Tensor embeddings(const Vit& m, const Tensor& pixels) {
  Trace& trace = *pixels.trace;
  Module self(trace, "embeddings", "ViTEmbeddings");
  const Tensor first = trace.parameter({1, 1, m.encoder.hidden});
  const Tensor positions = trace.parameter({1, saturating_add(m.patches(), 1), m.encoder.hidden});
  Tensor patches;
  {
    Module patch(trace, "patch_embeddings", "ViTPatchEmbeddings");
    patches =
        patch.returns(patch_tokens(pixels, "projection", m.encoder.hidden, m.patch, Bias::kYes));
  }
  const Tensor start = first.expand({pixels.dim(0), -1, -1});
  const Tensor tokens = cat({&start, &patches}, 1);
  return self.returns(tokens + positions);
}

Tensor pooler(const Vit& m, const Tensor& x) {
  Module self(*x.trace, "pooler", "ViTPooler");
  const Tensor y = linear(x.select(1), "dense", m.pooled);
  return self.returns(activation(y, "activation", m.pooler_activation));
}

Tensor model(const Vit& m, Trace& trace, std::string_view name, bool with_pooler) {
  Module self(trace, name, "ViTModel");
  const Tensor pixels =
      trace.input(trace.dtype(), {trace.pass().batch, m.channels, m.image[0], m.image[1]});
  Tensor x = embeddings(m, pixels);
  trace.keep(x);
  x = pre_norm_layers(m.encoder, kNames, x, {.softmax_in_f32 = true});
  x = layer_norm(x, "layernorm");
  if (with_pooler) pooler(m, x);
  return self.returns(x);
}

void base(Trace& trace, ConfigReader& c) {
  const Vit m = read(c);
  if (is_full_pass(c, trace) && c.ok()) model(m, trace, "", true);
}

void image_classification(Trace& trace, ConfigReader& c) {
  const Vit m = read(c);
  const std::int64_t labels = label_count(c);
  if (!is_full_pass(c, trace) || !c.ok()) return;
  Module self(trace, "", "ViTForImageClassification");
  const Tensor hidden = model(m, trace, "vit", false);
  self.returns(linear(hidden.select(1), "classifier", labels));
}

constexpr ModelClass kClasses[] = {
    {"ViTModel", base},
    {"ViTForImageClassification", image_classification},
};

}  // namespace

extern const Family kVit;
constexpr Family kVit{.model_type = "vit", .classes = kClasses, .has_text_source = false};

}  // namespace wattree
