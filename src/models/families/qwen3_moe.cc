// Qwen 3's mixtures of experts: Qwen 3 with experts in some layers; where there is a window, every
// layer has it.
#include "src/models/families/experts.h"

namespace wattree {
namespace {

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Qwen3Moe",
                                        .vocab = 151936,
                                        .hidden = 2048,
                                        .layers = 24,
                                        .heads = 32,
                                        .kv_heads = 4,
                                        .intermediate = 6144,
                                        .activation = "silu",
                                        .head_norm = HeadNorm::kEach,
                                        .masks = Masks::kWindow,
                                        .answering_body = "transformer"});
  m.qkv_bias = m.output_bias = Bias{c.flag({"attention_bias"}, false)};
  if (c.flag({"use_sliding_window"}, false)) m.window = c.optional_size({"sliding_window"}, 4096);
  read_layer_types(c, m);
  Experts e{.prefix = m.prefix,
            .count = c.count({"num_local_experts", "num_experts"}, 128),
            .intermediate = c.size({"moe_intermediate_size"}, 768),
            .activation = m.activation,
            .normalizes = c.flag({"norm_topk_prob"}, false)};
  read_routing(c, e, 8);
  add_experts(c, e, read_sparse_layers(c, m.layers), m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Qwen3MoeModel", rope_decoder_class<read, rope_decoder_base>},
    {"Qwen3MoeForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Qwen3MoeForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Qwen3MoeForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"Qwen3MoeForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kQwen3Moe;
constexpr Family kQwen3Moe{"qwen3_moe", kClasses};

}  // namespace wattree
