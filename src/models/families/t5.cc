// T5 (Raffel et al. 2020), with T5 v1.1 and Flan-T5.
#include "src/models/families/family.h"
#include "src/models/families/t5_like.h"

namespace wattree {
namespace {

T5Like read(ConfigReader& c, const Trace& trace) {
  T5Like m = read_t5_like(c, trace,
                          {.prefix = "T5",
                           .vocab = 32128,
                           .hidden = 512,
                           .head_dim = 64,
                           .inner = 2048,
                           .layers = 6,
                           .heads = 8,
                           .buckets = 32,
                           .feed_forward = "relu"});
  // v1.1 does not scale; its files are known by their heads, which are not tied.
  m.scales_output = c.flag({"scale_decoder_outputs", "tie_word_embeddings"}, true);
  return m;
}

template <auto build>
void with(Trace& trace, ConfigReader& c) {
  build(read(c, trace), trace, c);
}

constexpr ModelClass kClasses[] = {
    {"T5Model", with<t5_like_base>},
    {"T5ForConditionalGeneration", with<t5_like_conditional_generation>},
    {"T5EncoderModel", with<t5_like_encoder>},
    {"T5ForSequenceClassification", with<t5_like_sequence_classification>},
    {"T5ForTokenClassification", with<t5_like_token_classification>},
    {"T5ForQuestionAnswering", with<t5_like_question_answering>},
};

}  // namespace

extern const Family kT5;
constexpr Family kT5{.model_type = "t5", .classes = kClasses, .is_encoder_decoder = true};

}  // namespace wattree
