// OLMo 2 (Team OLMo 2024): norms after attention and MLP instead of before, norms over all queries
// and all keys, and rotary embeddings in single precision.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Olmo2",
                                        .vocab = 50304,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .intermediate = 11008,
                                        .activation = "silu",
                                        .head_norm = HeadNorm::kAll,
                                        .norm_place = NormPlace::kAfter,
                                        .has_padding_token = true,
                                        .turns_in_f32 = true,
                                        .norm = wide_rms_norm});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  read_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Olmo2Model", rope_decoder_class<read, rope_decoder_base>},
    {"Olmo2ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Olmo2ForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
};

}  // namespace

extern const Family kOlmo2;
constexpr Family kOlmo2{"olmo2", kClasses};

}  // namespace wattree
