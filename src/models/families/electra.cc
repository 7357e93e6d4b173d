// ELECTRA (Clark et al. 2020): BERT without a pooler, with embeddings of their own width.
#include "src/models/families/bert_like.h"
#include "src/models/families/heads.h"

namespace wattree {
namespace {

BertLike read(ConfigReader& c, const Trace& trace) {
  return read_bert_like(c, trace,
                        {.prefix = "Electra",
                         .base = "electra",
                         .hidden = 256,
                         .heads = 4,
                         .intermediate = 1024,
                         .embedding = c.size({"embedding_size"}, 128),
                         .may_decode = true});
}

// Is each token the original one or a replacement?
void pre_training(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "ElectraForPreTraining");
  const BertOutput out = bert_like_model(m, trace, "electra", Pooler::kNo);
  Module head(trace, "discriminator_predictions", "ElectraDiscriminatorPredictions");
  Tensor y = linear(out.hidden, "dense", m.hidden);
  y = activation(y, "activation", m.activation);
  y = linear(y, "dense_prediction", 1);
  self.returns(head.returns(y.squeeze(-1)));
}

void generator(const BertLike& m, Trace& trace, std::string_view type) {
  Module self(trace, "", type);
  const BertOutput out = bert_like_model(m, trace, "electra", Pooler::kNo);
  Tensor y;
  {
    Module head(trace, "generator_predictions", "ElectraGeneratorPredictions");
    y = linear(out.hidden, "dense", m.embedding);
    y = activation(y, "activation", "gelu");
    y = head.returns(layer_norm(y, "LayerNorm"));
  }
  self.returns(language_model_head(y, "generator_lm_head", out.words, m.is_tied, Bias::kYes));
}

void masked_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  generator(m, trace, "ElectraForMaskedLM");
}

void causal_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  generator(m, trace, "ElectraForCausalLM");
}

void sequence_classification(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "ElectraForSequenceClassification");
  const BertOutput out = bert_like_model(m, trace, "electra", Pooler::kNo);
  self.returns(classification_head(
      m, out.hidden, [](const Tensor& x) { return activation(x, "activation", "gelu"); }));
}

constexpr ModelClass kClasses[] = {
    {"ElectraModel", bert_like_class<read, bert_like_base>},
    {"ElectraForPreTraining", bert_like_class<read, pre_training>},
    {"ElectraForMaskedLM", bert_like_class<read, masked_lm>},
    {"ElectraForCausalLM", bert_like_class<read, causal_lm>},
    {"ElectraForSequenceClassification", bert_like_class<read, sequence_classification>},
    {"ElectraForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"ElectraForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kElectra;
constexpr Family kElectra{"electra", kClasses};

}  // namespace wattree
