// mT5 (Xue et al. 2021): T5 v1.1 over many languages.
#include "src/models/families/family.h"
#include "src/models/families/t5_like.h"

namespace wattree {
namespace {

T5Like read(ConfigReader& c, const Trace& trace) {
  return read_t5_like(c, trace,
                      {.prefix = "MT5",
                       .vocab = 250112,
                       .hidden = 512,
                       .head_dim = 64,
                       .inner = 1024,
                       .layers = 8,
                       .heads = 6,
                       .buckets = 32,
                       .feed_forward = "gated-gelu",
                       .has_start_token = true});
}

template <auto build>
void with(Trace& trace, ConfigReader& c) {
  build(read(c, trace), trace, c);
}

constexpr ModelClass kClasses[] = {
    {"MT5Model", with<t5_like_base>},
    {"MT5ForConditionalGeneration", with<t5_like_conditional_generation>},
    {"MT5EncoderModel", with<t5_like_encoder>},
    {"MT5ForSequenceClassification", with<t5_like_sequence_classification>},
    {"MT5ForTokenClassification", with<t5_like_token_classification>},
    {"MT5ForQuestionAnswering", with<t5_like_question_answering>},
};

}  // namespace

extern const Family kMt5;
constexpr Family kMt5{.model_type = "mt5", .classes = kClasses, .is_encoder_decoder = true};

}  // namespace wattree
