// Gemma 2 (Gemma Team 2024): Gemma with norms around both parts of a layer, capped scores and
// logits, and every other layer sliding.
#include "src/models/families/fields.h"
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Gemma2",
                                        .vocab = 256000,
                                        .hidden = 2304,
                                        .layers = 26,
                                        .heads = 8,
                                        .kv_heads = 4,
                                        .head_dim = 256,
                                        .intermediate = 9216,
                                        .activation = "gelu_pytorch_tanh",
                                        .norm_place = NormPlace::kAround,
                                        .masks = Masks::kBoth,
                                        .is_tied = true,
                                        .has_padding_token = true,
                                        .scales_embedding = true,
                                        .norm = offset_rms_norm});
  c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.activation = activation_field(c, {"hidden_activation"}, "gelu_pytorch_tanh");
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  m.is_causal = !c.flag({"use_bidirectional_attention"}, false);
  m.caps_scores = c.has({"attn_logit_softcapping"}, true);
  m.caps_logits = c.has({"final_logit_softcapping"}, true);
  for (std::int64_t i = 0; i < m.layers; ++i) m.slides.push_back(i % 2 == 0);
  read_window(c, m, 4096);
  if (!m.window) c.reject("sliding_window", "is needed, even where no layer slides");
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Gemma2Model", rope_decoder_class<read, rope_decoder_base>},
    {"Gemma2ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Gemma2ForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Gemma2ForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
};

}  // namespace

extern const Family kGemma2;
constexpr Family kGemma2{"gemma2", kClasses};

}  // namespace wattree
