// Qwen 1.5's and 2's mixtures of experts (Yang et al. 2024): Qwen 2 with experts in some layers,
// one more expert for every token, and, where switched on, a window in every other layer.
#include "src/models/families/experts.h"

namespace wattree {
namespace {

void read_alternating_window(ConfigReader& c, RopeDecoder& m) {
  const bool is_on = c.flag({"use_sliding_window"}, false);
  if (is_on) {
    m.window = c.optional_size({"sliding_window"}, 4096);
    if (!m.window) c.reject("sliding_window", "is null, although use_sliding_window is set");
  }
  const std::int64_t end = c.count({"max_window_layers"}, 28);
  for (std::int64_t i = 0; i < m.layers; ++i) m.slides.push_back(is_on && i % 2 == 0 && i < end);
  read_layer_types(c, m);
}

RopeDecoder read(ConfigReader& c) {
  RopeDecoder m = read_rope_decoder(c, {.prefix = "Qwen2Moe",
                                        .vocab = 151936,
                                        .hidden = 2048,
                                        .layers = 24,
                                        .heads = 16,
                                        .kv_heads = 16,
                                        .intermediate = 5632,
                                        .activation = "silu",
                                        .masks = Masks::kBoth});
  m.qkv_bias = Bias{c.flag({"qkv_bias"}, true)};
  read_alternating_window(c, m);
  Experts e{.prefix = m.prefix,
            .count = c.count({"num_experts"}, 60),
            .intermediate = c.size({"moe_intermediate_size"}, 1408),
            .activation = m.activation,
            .normalizes = c.flag({"norm_topk_prob"}, false),
            .shared = c.size({"shared_expert_intermediate_size"}, 5632)};
  read_routing(c, e, 4);
  add_experts(c, e, read_sparse_layers(c, m.layers), m);
  return m;
}

constexpr ModelClass kClasses[] = {
    {"Qwen2MoeModel", rope_decoder_class<read, rope_decoder_base>},
    {"Qwen2MoeForCausalLM", rope_decoder_class<read, rope_decoder_causal_lm>},
    {"Qwen2MoeForSequenceClassification", rope_decoder_class<read, rope_decoder_classification>},
    {"Qwen2MoeForTokenClassification", rope_decoder_class<read, rope_decoder_token_classification>},
    {"Qwen2MoeForQuestionAnswering", rope_decoder_class<read, rope_decoder_question_answering>},
};

}  // namespace

extern const Family kQwen2Moe;
constexpr Family kQwen2Moe{"qwen2_moe", kClasses};

}  // namespace wattree
