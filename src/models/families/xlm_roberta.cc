// XLM-RoBERTa (Conneau et al. 2019): RoBERTa over many languages.
#include "src/models/families/bert_like.h"

namespace wattree {
namespace {

BertLike read(ConfigReader& c, const Trace& trace) {
  return read_roberta_like(c, trace, "XLMRoberta", 30522);
}

constexpr ModelClass kClasses[] = {
    {"XLMRobertaModel", bert_like_class<read, bert_like_base>},
    {"XLMRobertaForMaskedLM", bert_like_class<read, bert_like_masked_lm>},
    {"XLMRobertaForCausalLM", bert_like_class<read, bert_like_causal_lm>},
    {"XLMRobertaForSequenceClassification", bert_like_class<read, first_token_classification>},
    {"XLMRobertaForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"XLMRobertaForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kXlmRoberta;
constexpr Family kXlmRoberta{"xlm-roberta", kClasses};

}  // namespace wattree
