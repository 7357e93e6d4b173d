// Mixtral (Jiang et al. 2024): Mistral with a mixture of experts in every layer.
#include "src/models/families/experts.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Mixtral",
                                        .vocab = 32000,
                                        .hidden = 4096,
                                        .layers = 32,
                                        .heads = 32,
                                        .kv_heads = 8,
                                        .intermediate = 14336,
                                        .activation = "silu",
                                        .masks = Masks::kWindow});
  read_window(c, m);
  Experts e{.prefix = m.prefix,
            .count = c.size({"num_experts", "num_local_experts"}, 8),
            .intermediate = m.intermediate,
            .activation = m.activation,
            .normalizes = true,
            .weighs_in_f32 = true};
  read_routing(c, e, 2);
  add_experts(c, e, {}, m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"MixtralModel", rope_decoder_class<read, rope_decoder_base>},
    {"MixtralForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"MixtralForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"MixtralForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"MixtralForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kMixtral;
constexpr Family kMixtral{"mixtral", kClasses};

}  // namespace wattree
