// Qwen 3 (Yang et al. 2025): Qwen 2 with a norm over each head's queries and keys in place of the
// biases, and a head size of its own.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Qwen3",
                                        .vocab = 151936,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .kv_heads = 32,
                                        .head_dim = 128,
                                        .intermediate = 22016,
                                        .activation = "silu",
                                        .head_norm = HeadNorm::kEach,
                                        .masks = Masks::kByKind,
                                        .answering_body = "transformer"});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  read_switched_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Qwen3Model", rope_decoder_class<read, rope_decoder_base>},
    {"Qwen3ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Qwen3ForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Qwen3ForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"Qwen3ForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kQwen3;
constexpr Family kQwen3{"qwen3", kClasses};

}  // namespace wattree
