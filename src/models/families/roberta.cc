// RoBERTa (Liu et al. 2019): BERT with positions counted from the padding token on.
#include "src/models/families/bert_like.h"

namespace wattree {
namespace {

BertLike read(ConfigReader& c, const Trace& trace) {
  return read_roberta_like(c, trace, "Roberta", 50265);
}

constexpr ModelClass kClasses[] = {
    {"RobertaModel", bert_like_class<read, bert_like_base>},
    {"RobertaForMaskedLM", bert_like_class<read, bert_like_masked_lm>},
    {"RobertaForCausalLM", bert_like_class<read, bert_like_causal_lm>},
    {"RobertaForSequenceClassification", bert_like_class<read, first_token_classification>},
    {"RobertaForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"RobertaForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kRoberta;
constexpr Family kRoberta{"roberta", kClasses};

}  // namespace wattree
