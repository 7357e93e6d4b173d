// Llama 1 to 3.x (Touvron et al. 2023; Grattafiori et al. 2024): the plain rotary decoder.
#include "src/family/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(const Config& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Llama",
                                        .vocab = 32000,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .intermediate = 11008,
                                        .activation = "silu"});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  m.mlp_bias = Bias{c.flag({"mlp_bias"}, false)};
  return m;
}

void base(Trace& trace, const Config& c) { rope_decoder_base(read(c), trace, c); }
void causal_lm(Trace& trace, const Config& c) { rope_decoder_causal_lm(read(c), trace, c); }
void classification(Trace& trace, const Config& c) {
  rope_decoder_classification(read(c), trace, c);
}

constexpr ModelClass kClasses[] = {
    {"LlamaModel", base},
    {"LlamaForCausalLM", causal_lm},
    {"LlamaForSequenceClassification", classification},
};

}  // namespace

extern const Family kLlama;
constexpr Family kLlama{"llama", kClasses};

}  // namespace wattree
