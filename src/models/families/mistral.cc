// Mistral (Jiang et al. 2023): Llama with a window over the past in every layer.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Mistral",
                                        .vocab = 32000,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .kv_heads = 8,
                                        .intermediate = 14336,
                                        .activation = "silu",
                                        .masks = Masks::kWindow});
  read_window(c, m, 4096);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"MistralModel", rope_decoder_class<read, rope_decoder_base>},
    {"MistralForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"MistralForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"MistralForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"MistralForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kMistral;
constexpr Family kMistral{"mistral", kClasses};

}  // namespace wattree
