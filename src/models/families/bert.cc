// BERT (Devlin et al. 2018).
#include "src/models/families/bert_like.h"

namespace wattree {
namespace {

BertLike read(ConfigReader& c, const Trace& trace) {
  return read_bert_like(
      c, trace, {.prefix = "Bert", .base = "bert", .may_decode = true, .pooler = bert_pooler});
}

Tensor predictions(const BertLike& m, const Tensor& x, const Tensor& words) {
  Trace& trace = *x.trace;
  Module self(trace, "predictions", "BertLMPredictionHead");
  Tensor y = x;
  {
    Module transform(trace, "transform", "BertPredictionHeadTransform");
    y = linear(y, "dense", m.hidden);
    y = activation(y, "transform_act_fn", m.activation);
    y = transform.returns(layer_norm(y, "LayerNorm"));
  }
  return self.returns(vocabulary_decoder(m, y, words));
}

void language_model(const BertLike& m, Trace& trace, std::string_view type) {
  Module self(trace, "", type);
  const BertOutput out = bert_like_model(m, trace, "bert", Pooler::kNo);
  Module head(trace, "cls", "BertOnlyMLMHead");
  self.returns(head.returns(predictions(m, out.hidden, out.words)));
}

void masked_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  language_model(m, trace, "BertForMaskedLM");
}

void causal_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  language_model(m, trace, "BertLMHeadModel");
}

void pre_training(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "BertForPreTraining");
  const BertOutput out = bert_like_model(m, trace, "bert", Pooler::kYes);
  Module head(trace, "cls", "BertPreTrainingHeads");
  const Tensor scores = predictions(m, out.hidden, out.words);
  linear(out.pooled, "seq_relationship", 2);
  self.returns(head.returns(scores));
}

void next_sentence(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "BertForNextSentencePrediction");
  const BertOutput out = bert_like_model(m, trace, "bert", Pooler::kYes);
  Module head(trace, "cls", "BertOnlyNSPHead");
  self.returns(head.returns(linear(out.pooled, "seq_relationship", 2)));
}

constexpr ModelClass kClasses[] = {
    {"BertModel", bert_like_class<read, bert_like_base>},
    {"BertForMaskedLM", bert_like_class<read, masked_lm>},
    {"BertLMHeadModel", bert_like_class<read, causal_lm>},
    {"BertForPreTraining", bert_like_class<read, pre_training>},
    {"BertForNextSentencePrediction", bert_like_class<read, next_sentence>},
    {"BertForSequenceClassification", bert_like_class<read, pooled_classification>},
    {"BertForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"BertForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kBert;
constexpr Family kBert{"bert", kClasses};

}  // namespace wattree
