// Llama 1 to 3.x (Touvron et al. 2023; Grattafiori et al. 2024): the plain rotary decoder.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Llama",
                                        .vocab = 32000,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .intermediate = 11008,
                                        .activation = "silu",
                                        .answering_body = "transformer"});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  m.mlp_bias = Bias{c.flag({"mlp_bias"}, false)};
  read_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"LlamaModel", rope_decoder_class<read, rope_decoder_base>},
    {"LlamaForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"LlamaForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"LlamaForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"LlamaForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kLlama;
constexpr Family kLlama{"llama", kClasses};

}  // namespace wattree
