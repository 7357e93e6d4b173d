// CamemBERT (Martin et al. 2019): RoBERTa for French.
#include "src/models/families/bert_like.h"

namespace wattree {
namespace {

BertLike read(ConfigReader& c, const Trace& trace) {
  return read_roberta_like(c, trace, "Camembert", 30522);
}

constexpr ModelClass kClasses[] = {
    {"CamembertModel", bert_like_class<read, bert_like_base>},
    {"CamembertForMaskedLM", bert_like_class<read, bert_like_masked_lm>},
    {"CamembertForCausalLM", bert_like_class<read, bert_like_causal_lm>},
    {"CamembertForSequenceClassification", bert_like_class<read, first_token_classification>},
    {"CamembertForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"CamembertForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kCamembert;
constexpr Family kCamembert{"camembert", kClasses};

}  // namespace wattree
