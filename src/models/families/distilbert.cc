// DistilBERT (Sanh et al. 2019): BERT without token types and pooler, with its own names.
#include "src/models/families/bert_like.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"

namespace wattree {
namespace {

Tensor self_attention(const BertLike& m, const Tensor& x) {
  Module self(*x.trace, "attention", "DistilBertSelfAttention");
  const Tensor q = split_heads(linear(x, "q_lin", m.hidden), m.head_dim);
  const Tensor k = split_heads(linear(x, "k_lin", m.hidden), m.head_dim);
  const Tensor v = split_heads(linear(x, "v_lin", m.hidden), m.head_dim);
  const Tensor y = attention(q, k, v, {}).flatten_from(2);
  return self.returns(linear(y, "out_lin", m.hidden));
}

Tensor ffn(const BertLike& m, const Tensor& x) {
  Module self(*x.trace, "ffn", "FFN");
  Tensor y = linear(x, "lin1", m.intermediate);
  y = activation(y, "activation", m.activation);
  return self.returns(linear(y, "lin2", m.hidden));
}

Tensor transformer(const BertLike& m, Tensor x) {
  Module self(*x.trace, "transformer", "Transformer");
  for (std::int64_t i = 0; i < m.layers; ++i) {
    Module block(*x.trace, item("layer", i), "TransformerBlock");
    const Tensor attended = layer_norm(self_attention(m, x) + x, "sa_layer_norm");
    x = block.returns(layer_norm(ffn(m, attended) + attended, "output_layer_norm"));
  }
  return self.returns(x);
}

BertLike read(ConfigReader& c, const Trace& trace) {
  BertLike m{.prefix = "DistilBert",
             .base = "distilbert",
             .types = 0,
             .embeddings_type = "Embeddings",
             .encoder = transformer};
  m.vocab = c.size({"vocab_size"}, 30522);
  m.hidden = c.size({"dim", "hidden_size"}, 768);
  m.layers = c.layers({"n_layers", "num_hidden_layers"}, 6);
  m.heads = c.size({"n_heads", "num_attention_heads"}, 12);
  m.intermediate = c.size({"hidden_dim"}, 3072);
  // Sinusoidal positions are a table like any other, filled differently.
  m.positions = c.size({"max_position_embeddings"}, 512);
  m.activation = activation_field(c, {"activation"}, "gelu");
  finish_reading(c, trace, m);
  return m;
}

void masked_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "DistilBertForMaskedLM");
  const BertOutput out = bert_like_model(m, trace, "distilbert", Pooler::kNo);
  Tensor y = linear(out.hidden, "vocab_transform", m.hidden);
  y = activation(y, "activation", m.activation);
  y = layer_norm(y, "vocab_layer_norm");
  self.returns(language_model_head(y, "vocab_projector", out.words, m.is_tied, Bias::kYes));
  unused_module(trace, "mlm_loss_fct", "CrossEntropyLoss", Module::Kind::kMl, {});
}

void sequence_classification(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "DistilBertForSequenceClassification");
  const BertOutput out = bert_like_model(m, trace, "distilbert", Pooler::kNo);
  Tensor y = linear(out.hidden.select(1), "pre_classifier", m.hidden);
  y = unary(Op::kRelu, y);
  self.returns(linear(y, "classifier", m.labels));
}

constexpr ModelClass kClasses[] = {
    {"DistilBertModel", bert_like_class<read, bert_like_base>},
    {"DistilBertForMaskedLM", bert_like_class<read, masked_lm>},
    {"DistilBertForSequenceClassification", bert_like_class<read, sequence_classification>},
    {"DistilBertForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"DistilBertForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kDistilBert;
constexpr Family kDistilBert{"distilbert", kClasses};

}  // namespace wattree
