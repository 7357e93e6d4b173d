#include "src/models/families/bert_like.h"

#include "src/models/families/fields.h"
#include "src/models/families/heads.h"

namespace wattree {

void finish_reading(ConfigReader& c, const Trace& trace, BertLike& m) {
  const Pass& pass = trace.pass();
  m.head_dim = c.divide(m.hidden, m.heads, "hidden_size", "num_attention_heads");
  if (m.embedding == 0) m.embedding = m.hidden;
  m.labels = label_count(c);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  if (m.may_decode) {
    m.is_decoder = c.flag({"is_decoder"}, false);
    const bool uses_cache = c.flag({"use_cache"}, true);
    m.cache = {m.is_decoder && (uses_cache || pass.past > 0), pass.past, {}};
    if (c.flag({"add_cross_attention"}, false))
      c.reject("add_cross_attention", "is not supported for this family");
  }
  if (c.count({"chunk_size_feed_forward"}, 0) != 0)
    c.reject("chunk_size_feed_forward", "is not supported: only the whole sequence at once (0)");
  const double padding =
      m.padding ? static_cast<double>(*m.padding) : c.number({"pad_token_id"}, 0);
  if (padding >= static_cast<double>(m.vocab))
    c.reject("pad_token_id", "is not in the vocabulary; the model cannot be built");
  const std::int64_t first = m.padding ? *m.padding + 1 : 0;
  check_positions(c, first + pass.past + pass.seq, m.positions, "max_position_embeddings",
                  length_field(pass));
  if (!m.is_decoder) is_full_pass(c, trace);
}

BertLike read_bert_like(ConfigReader& c, const Trace& trace, BertLike m) {
  m.vocab = c.size({"vocab_size"}, m.vocab);
  m.hidden = c.size({"hidden_size"}, m.hidden);
  m.layers = c.layers({"num_hidden_layers"}, m.layers);
  m.heads = c.size({"num_attention_heads"}, m.heads);
  m.intermediate = c.size({"intermediate_size"}, m.intermediate);
  m.positions = c.size({"max_position_embeddings"}, m.positions);
  if (m.types > 0) m.types = c.size({"type_vocab_size"}, m.types);
  m.activation = activation_field(c, {"hidden_act"}, m.activation);
  finish_reading(c, trace, m);
  return m;
}

BertLike read_roberta_like(ConfigReader& c, const Trace& trace, std::string_view prefix,
                           std::int64_t vocab) {
  if (!c.has({"pad_token_id"}, true))
    c.reject("pad_token_id", "is needed: positions are counted from it");
  return read_bert_like(c, trace,
                        {.prefix = std::string(prefix),
                         .base = "roberta",
                         .vocab = vocab,
                         .padding = c.count({"pad_token_id"}, 1),
                         .may_decode = true,
                         .pooler = bert_pooler});
}

namespace {

// Padding stays where it is; all else is counted from the padding token's id on.
Tensor positions_from_ids(const BertLike& m, const Tensor& ids) {
  ids.trace->buffer(DType::kInt64, {1, m.positions});  // Positions in order: held, and not read.
  const Tensor is_text = predicate(Op::kNe, ids).to(DType::kInt32);
  Tensor places = cumsum(is_text).to(DType::kInt32);
  if (m.may_decode) places = places + static_cast<double>(m.cache.past);
  places = (places * is_text).to(DType::kInt64);
  return places + static_cast<double>(*m.padding);
}

// The positions that a buffer holds.
Tensor positions_in_order(const BertLike& m, const Tensor& ids) {
  const Tensor all = ids.trace->buffer(DType::kInt64, {1, m.positions});
  return all.slice(1, m.cache.past, m.cache.past + ids.dim(1));
}

Tensor embeddings(const BertLike& m, const Tensor& ids, Tensor* words) {
  Trace& trace = *ids.trace;
  Module self(trace, "embeddings",
              m.embeddings_type.empty() ? m.type("Embeddings") : m.embeddings_type);
  const Tensor places = m.padding ? positions_from_ids(m, ids) : positions_in_order(m, ids);
  Tensor types;
  if (m.types > 0) {
    // Gathered from a buffer of zeros.
    const Tensor zeros = trace.buffer(DType::kInt64, {1, m.positions}).expand({places.dim(0), -1});
    types = gather(zeros, places).expand({ids.dim(0), ids.dim(1)});
  }
  Tensor x = embedding(ids, "word_embeddings", m.vocab, m.embedding, words);
  if (m.types > 0) {
    const Tensor type = embedding(types, "token_type_embeddings", m.types, m.embedding);
    x = x + type;
  }
  const Tensor position = embedding(places, "position_embeddings", m.positions, m.embedding);
  x = x + position;
  return self.returns(layer_norm(x, "LayerNorm"));
}

Tensor self_attention(const BertLike& m, const Tensor& x, const Mask& mask) {
  Module self(*x.trace, "self", m.type("SelfAttention"));
  const Tensor q = split_heads(linear(x, "query", m.hidden), m.head_dim);
  Tensor k = split_heads(linear(x, "key", m.hidden), m.head_dim);
  Tensor v = split_heads(linear(x, "value", m.hidden), m.head_dim);
  m.cache.update(k, v);
  const AttentionOptions options{.mask = mask, .is_causal = m.is_decoder};
  return self.returns(attention(q, k, v, options).flatten_from(2));
}

Tensor attention_block(const BertLike& m, const Tensor& x, const Mask& mask) {
  Module self(*x.trace, "attention", m.type("Attention"));
  const Tensor y = self_attention(m, x, mask);
  return self.returns(residual_output(y, x, m.type("SelfOutput")));
}

Tensor encoder(const BertLike& m, Tensor x, const Mask& mask) {
  Module self(*x.trace, "encoder", m.type("Encoder"));
  for (std::int64_t i = 0; i < m.layers; ++i) {
    Module layer(*x.trace, item("layer", i), m.type("Layer"));
    const Tensor attended = attention_block(m, x, mask);
    x = layer.returns(feed_forward(m, attended));
  }
  return self.returns(x);
}

}  // namespace

Tensor residual_output(const Tensor& x, const Tensor& residual, std::string_view type) {
  Module self(*x.trace, "output", type);
  const Tensor y = linear(x, "dense", residual.dim(-1));
  return self.returns(layer_norm(y + residual, "LayerNorm"));
}

Tensor feed_forward(const BertLike& m, const Tensor& x) {
  Tensor y;
  {
    Module self(*x.trace, "intermediate", m.type("Intermediate"));
    y = linear(x, "dense", m.intermediate);
    y = self.returns(activation(y, "intermediate_act_fn", m.activation));
  }
  return residual_output(y, x, m.type("Output"));
}

Tensor bert_pooler(const BertLike& m, const Tensor& x) {
  Module self(*x.trace, "pooler", m.type("Pooler"));
  const Tensor first = linear(x.select(1), "dense", m.hidden);
  return self.returns(activation(first, "activation", "tanh"));
}

BertOutput bert_like_model(const BertLike& m, Trace& trace, std::string_view name, Pooler pooler) {
  Module self(trace, name, m.type("Model"));
  const Pass& pass = trace.pass();
  const Tensor ids = trace.input(DType::kInt64, {pass.batch, pass.seq});
  BertOutput out;
  const Tensor x = embeddings(m, ids, &out.words);
  if (m.encoder) {
    out.hidden = m.encoder(m, x);
  } else {
    // Narrower embeddings are widened first.
    const Tensor wide = m.embedding == m.hidden ? x : linear(x, "embeddings_project", m.hidden);
    Mask mask;
    if (m.is_decoder) mask = causal_mask(trace, {pass.batch, pass.seq, pass.past + pass.seq});
    out.hidden = encoder(m, wide, mask);
  }
  if (pooler == Pooler::kYes && m.pooler) out.pooled = m.pooler(m, out.hidden);
  self.returns(out.hidden);
  return out;
}

Tensor vocabulary_decoder(const BertLike& m, const Tensor& x, const Tensor& words) {
  Trace& trace = *x.trace;
  const Tensor bias = trace.parameter({m.vocab});
  if (!m.is_tied) return linear(x, "decoder", m.vocab);
  Module self(trace, "decoder", "Linear", Module::Kind::kPrimitive);
  trace.hold(words);
  trace.hold(bias);
  return self.returns(linear_kernels(x, words, &bias));
}

Tensor classification_head(const BertLike& m, const Tensor& hidden,
                           const std::function<Tensor(const Tensor&)>& activates) {
  Module self(*hidden.trace, "classifier", m.type("ClassificationHead"));
  const Tensor dense = linear(hidden.select(1), "dense", m.hidden);
  const Tensor active = activates(dense);
  return self.returns(linear(active, "out_proj", m.labels));
}

namespace {

void language_model(const BertLike& m, Trace& trace, std::string_view suffix) {
  Module self(trace, "", m.type(suffix));
  const BertOutput out = bert_like_model(m, trace, m.base, Pooler::kNo);
  Module head(trace, "lm_head", m.type("LMHead"));
  Tensor y = linear(out.hidden, "dense", m.hidden);
  y = activation_kernels(y, "gelu");
  y = layer_norm(y, "layer_norm");
  self.returns(head.returns(vocabulary_decoder(m, y, out.words)));
}

}  // namespace

void bert_like_base(const BertLike& m, Trace& trace, ConfigReader&) {
  bert_like_model(m, trace, "", Pooler::kYes);
}

void bert_like_masked_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  language_model(m, trace, "ForMaskedLM");
}

void bert_like_causal_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  language_model(m, trace, "ForCausalLM");
}

void pooled_classification(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", m.type("ForSequenceClassification"));
  const BertOutput out = bert_like_model(m, trace, m.base, Pooler::kYes);
  self.returns(linear(out.pooled, "classifier", m.labels));
}

void first_token_classification(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", m.type("ForSequenceClassification"));
  const BertOutput out = bert_like_model(m, trace, m.base, Pooler::kNo);
  self.returns(
      classification_head(m, out.hidden, [](const Tensor& x) { return unary(Op::kTanh, x); }));
}

void bert_like_token_classification(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", m.type("ForTokenClassification"));
  const BertOutput out = bert_like_model(m, trace, m.base, Pooler::kNo);
  self.returns(linear(out.hidden, "classifier", m.labels));
}

void bert_like_question_answering(const BertLike& m, Trace& trace, ConfigReader& c) {
  Module self(trace, "", m.type("ForQuestionAnswering"));
  const BertOutput out = bert_like_model(m, trace, m.base, Pooler::kNo);
  self.returns(question_answering_head(out.hidden, c));
}

}  // namespace wattree
