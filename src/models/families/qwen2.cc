// Qwen 1.5 to 2.5 (Yang et al. 2024): Llama with biases on queries, keys and values, and, where
// switched on, a window in the upper layers.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Qwen2",
                                        .vocab = 151936,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .kv_heads = 32,
                                        .intermediate = 22016,
                                        .activation = "silu",
                                        .qkv_bias = Bias::kYes,
                                        .masks = Masks::kByKind,
                                        .answering_body = "transformer"});
  read_switched_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Qwen2Model", rope_decoder_class<read, rope_decoder_base>},
    {"Qwen2ForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Qwen2ForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Qwen2ForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"Qwen2ForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kQwen2;
constexpr Family kQwen2{"qwen2", kClasses};

}  // namespace wattree
