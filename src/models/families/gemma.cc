// Gemma (Gemma Team 2024): Llama with a norm around one, scaled embeddings and a head size of its
// own.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Gemma",
                                        .vocab = 256000,
                                        .hidden = 3072,
                                        .layers = 28,
                                        .heads = 16,
                                        .kv_heads = 16,
                                        .head_dim = 256,
                                        .intermediate = 24576,
                                        .activation = "gelu_pytorch_tanh",
                                        .is_tied = true,
                                        .has_padding_token = true,
                                        .scales_embedding = true,
                                        .norm = offset_rms_norm});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  read_window(c, m);
  m.is_causal = !c.flag({"use_bidirectional_attention"}, false);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"GemmaModel", rope_decoder_class<read, rope_decoder_base>},
    {"GemmaForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"GemmaForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"GemmaForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
};

}  // namespace

extern const Family kGemma;
constexpr Family kGemma{"gemma", kClasses};

}  // namespace wattree
