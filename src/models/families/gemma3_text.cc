// The text model of Gemma 3 (Gemma Team 2025): Gemma 2 with norms over the heads in place of capped
// scores, mostly sliding layers, and a rope of their own for these. EmbeddingGemma is one that
// looks ahead.
#include "src/models/families/fields.h"
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

// Every kind of layer has its own rope; an old file's rope_scaling is that of the full ones.
void read_ropes(ConfigReader& c, RopeDecoder& m) {
  auto read_kind = [](ConfigReader& in, std::string_view name, RopeKind otherwise) {
    std::optional<ConfigReader> rope = in.object(name);
    return rope ? rope_kind(rope->text({"rope_type", "type"}, "default")) : otherwise;
  };
  m.rope = RopeKind::kFixed;
  m.sliding_rope = RopeKind::kFixed;
  if (std::optional<ConfigReader> ropes = c.object("rope_parameters")) {
    m.rope = read_kind(*ropes, "full_attention", RopeKind::kFixed);
    m.sliding_rope = read_kind(*ropes, "sliding_attention", RopeKind::kFixed);
  }
  m.rope = read_kind(c, "rope_scaling", m.rope);
}

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Gemma3",
                                        .vocab = 262208,
                                        .hidden = 2304,
                                        .layers = 26,
                                        .heads = 8,
                                        .kv_heads = 4,
                                        .head_dim = 256,
                                        .intermediate = 9216,
                                        .activation = "gelu_pytorch_tanh",
                                        .head_norm = HeadNorm::kEachSplit,
                                        .norm_place = NormPlace::kAround,
                                        .masks = Masks::kBoth,
                                        .is_tied = true,
                                        .has_padding_token = true,
                                        .scales_embedding = true,
                                        .norm = offset_rms_norm,
                                        .infix = "Text"});
  c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.activation = activation_field(c, {"hidden_activation"}, "gelu_pytorch_tanh");
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  m.caps_logits = c.has({"final_logit_softcapping"}, false);
  const std::int64_t pattern = c.size({"sliding_window_pattern"}, 6);
  for (std::int64_t i = 0; i < m.layers; ++i) m.slides.push_back((i + 1) % pattern != 0);
  read_window(c, m, 4096);
  if (!m.window) c.reject("sliding_window", "is needed, even where no layer slides");
  read_ropes(c, m);
  if (c.flag({"use_bidirectional_attention"}, false)) {
    m.is_causal = false;
    m.overlays_masks = true;
    if (m.window) m.window = *m.window / 2 + 1;  // Half of it to each side.
    if (m.sees_ahead) c.reject("is_causal", "must not be false beside use_bidirectional_attention");
  }
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Gemma3TextModel", rope_decoder_class<read, rope_decoder_base>},
    {"Gemma3ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Gemma3TextForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
};

}  // namespace

extern const Family kGemma3Text;
constexpr Family kGemma3Text{"gemma3_text", kClasses};

}  // namespace wattree
