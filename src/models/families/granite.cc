// Granite 3 (IBM 2024): Llama with multipliers on the embeddings, the attention scores, what each
// block adds, and the logits.
#include "src/models/families/rope_decoder.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Granite",
                                        .vocab = 32000,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .intermediate = 11008,
                                        .activation = "silu",
                                        .has_multipliers = true});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  m.mlp_bias = Bias{c.flag({"mlp_bias"}, false)};
  read_window(c, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"GraniteModel", rope_decoder_class<read, rope_decoder_base>},
    {"GraniteForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
};

}  // namespace

extern const Family kGranite;
constexpr Family kGranite{"granite", kClasses};

}  // namespace wattree
