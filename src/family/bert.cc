// BERT (Devlin et al. 2018).
#include "src/family/family.h"
#include "src/family/fields.h"
#include "src/trace/attention.h"

namespace wattree {
namespace {

struct Bert {
  std::int64_t vocab, hidden, layers, heads, head_dim, intermediate, positions, types;
  std::string activation;
  bool is_tied;
};

Bert read(const Config& c) {
  Bert m;
  m.vocab = c.size({"vocab_size"}, 30522);
  m.hidden = c.size({"hidden_size"}, 768);
  m.layers = c.layers({"num_hidden_layers"}, 12);
  m.heads = c.size({"num_attention_heads"}, 12);
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  m.intermediate = c.size({"intermediate_size"}, 3072);
  m.positions = c.size({"max_position_embeddings"}, 512);
  m.types = c.size({"type_vocab_size"}, 2);
  m.activation = activation_field(c, {"hidden_act"}, "gelu");
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  return m;
}

Tensor embeddings(const Bert& m, const Tensor& ids, Tensor* words) {
  Trace& trace = *ids.trace;
  Module self(trace, "embeddings", "BertEmbeddings");
  // The positions are a buffer; the token types are gathered from a buffer of zeros.
  const Tensor positions = trace.tensor(DType::kInt64, {1, m.positions}).slice(1, 0, ids.dim(1));
  const Tensor zeros = trace.tensor(DType::kInt64, {1, m.positions});
  const Tensor types = gather(zeros, positions).expand({ids.dim(0), ids.dim(1)});
  const Tensor word = embedding(ids, "word_embeddings", m.vocab, m.hidden, words);
  const Tensor type = embedding(types, "token_type_embeddings", m.types, m.hidden);
  Tensor x = word + type;
  const Tensor position = embedding(positions, "position_embeddings", m.positions, m.hidden);
  x = x + position;
  return self.returns(layer_norm(x, "LayerNorm"));
}

Tensor self_attention(const Bert& m, const Tensor& x) {
  Module self(*x.trace, "self", "BertSelfAttention");
  const Tensor q = split_heads(linear(x, "query", m.hidden), m.head_dim);
  const Tensor k = split_heads(linear(x, "key", m.hidden), m.head_dim);
  const Tensor v = split_heads(linear(x, "value", m.hidden), m.head_dim);
  return self.returns(attention(q, k, v, {}).flatten_from(2));
}

// dense, then the residual, then the norm: both halves of a layer end so.
Tensor residual_output(const Bert& m, const Tensor& x, const Tensor& residual,
                       std::string_view type) {
  Module self(*x.trace, "output", type);
  const Tensor y = linear(x, "dense", m.hidden);
  return self.returns(layer_norm(y + residual, "LayerNorm"));
}

Tensor attention_block(const Bert& m, const Tensor& x) {
  Module self(*x.trace, "attention", "BertAttention");
  const Tensor y = self_attention(m, x);
  return self.returns(residual_output(m, y, x, "BertSelfOutput"));
}

Tensor intermediate(const Bert& m, const Tensor& x) {
  Module self(*x.trace, "intermediate", "BertIntermediate");
  const Tensor y = linear(x, "dense", m.intermediate);
  return self.returns(activation(y, "intermediate_act_fn", m.activation));
}

Tensor layer(const Bert& m, const Tensor& x, std::int64_t index) {
  Module self(*x.trace, item("layer", index), "BertLayer");
  const Tensor attended = attention_block(m, x);
  const Tensor wide = intermediate(m, attended);
  return self.returns(residual_output(m, wide, attended, "BertOutput"));
}

Tensor encoder(const Bert& m, Tensor x) {
  Module self(*x.trace, "encoder", "BertEncoder");
  for (std::int64_t i = 0; i < m.layers; ++i) x = layer(m, x, i);
  return self.returns(x);
}

Tensor pooler(const Bert& m, const Tensor& x) {
  Module self(*x.trace, "pooler", "BertPooler");
  const Tensor first = linear(x.select(1), "dense", m.hidden);
  return self.returns(activation(first, "activation", "tanh"));
}

struct Output {
  Tensor hidden;
  Tensor pooled;
  Tensor words;  // The word embedding's weight.
};

Output model(const Bert& m, Trace& trace, std::string_view name, bool with_pooler) {
  Module self(trace, name, "BertModel");
  const Tensor ids = trace.tensor(DType::kInt64, {trace.pass().batch, trace.pass().seq});
  Output out;
  out.hidden = encoder(m, embeddings(m, ids, &out.words));
  if (with_pooler) out.pooled = pooler(m, out.hidden);
  self.returns(out.hidden);
  return out;
}

Tensor predictions(const Bert& m, const Tensor& x, const Tensor& words) {
  Trace& trace = *x.trace;
  Module self(trace, "predictions", "BertLMPredictionHead");
  Tensor y = x;
  {
    Module transform(trace, "transform", "BertPredictionHeadTransform");
    y = linear(y, "dense", m.hidden);
    y = activation(y, "transform_act_fn", m.activation);
    y = transform.returns(layer_norm(y, "LayerNorm"));
  }
  // Where the weights are tied, the head's own bias is the decoder's as well; otherwise nothing
  // uses it.
  const Tensor bias = trace.parameter({m.vocab});
  if (!m.is_tied) return self.returns(linear(y, "decoder", m.vocab));
  Module decoder(trace, "decoder", "Linear", Module::Kind::kPrimitive);
  trace.hold(words);
  trace.hold(bias);
  return self.returns(decoder.returns(linear_kernels(y, words, &bias)));
}

bool is_ready(const Config& c, const Trace& trace, const Bert& m) {
  check_positions(c, trace.pass().seq, m.positions, "max_position_embeddings");
  return is_full_pass(c, trace) && c.ok();
}

void base(Trace& trace, const Config& c) {
  const Bert m = read(c);
  if (is_ready(c, trace, m)) model(m, trace, "", true);
}

void masked_lm(Trace& trace, const Config& c) {
  const Bert m = read(c);
  if (!is_ready(c, trace, m)) return;
  Module self(trace, "", "BertForMaskedLM");
  const Output out = model(m, trace, "bert", false);
  Module head(trace, "cls", "BertOnlyMLMHead");
  self.returns(head.returns(predictions(m, out.hidden, out.words)));
}

void sequence_classification(Trace& trace, const Config& c) {
  const Bert m = read(c);
  const std::int64_t labels = label_count(c);
  if (!is_ready(c, trace, m)) return;
  Module self(trace, "", "BertForSequenceClassification");
  const Output out = model(m, trace, "bert", true);
  self.returns(linear(out.pooled, "classifier", labels));
}

constexpr ModelClass kClasses[] = {
    {"BertModel", base},
    {"BertForMaskedLM", masked_lm},
    {"BertForSequenceClassification", sequence_classification},
};

}  // namespace

extern const Family kBert;
constexpr Family kBert{"bert", kClasses};

}  // namespace wattree
