// ALBERT (Lan et al. 2019): narrow embeddings, and few groups of layers that are run many times.
#include <algorithm>
#include <vector>

#include "src/models/families/bert_like.h"
#include "src/models/families/fields.h"

namespace wattree {
namespace {

struct Groups {
  std::int64_t count, inner;  // Groups of layers, and layers in each.

  // Which one stands at layer `i` of `layers`; in floating point, as the framework does it.
  std::int64_t at(std::int64_t i, std::int64_t layers) const {
    const double span = static_cast<double>(layers) / static_cast<double>(count);
    return static_cast<std::int64_t>(static_cast<double>(i) / span);
  }
};

Tensor attention_block(const BertLike& m, const Tensor& x) {
  Module self(*x.trace, "attention", "AlbertAttention");
  const Tensor q = split_heads(linear(x, "query", m.hidden), m.head_dim);
  const Tensor k = split_heads(linear(x, "key", m.hidden), m.head_dim);
  const Tensor v = split_heads(linear(x, "value", m.hidden), m.head_dim);
  Tensor y = attention(q, k, v, {}).flatten_from(2);
  y = linear(y, "dense", m.hidden);
  return self.returns(layer_norm(x + y, "LayerNorm"));
}

Tensor layer(const BertLike& m, const Tensor& x, std::int64_t index) {
  Module self(*x.trace, item("albert_layers", index), "AlbertLayer");
  const Tensor attended = attention_block(m, x);
  Tensor y = linear(attended, "ffn", m.intermediate);
  y = activation(y, "activation", m.activation);
  y = linear(y, "ffn_output", m.hidden);
  return self.returns(layer_norm(y + attended, "full_layer_layer_norm"));
}

Tensor group(const BertLike& m, const Groups& groups, Tensor x, std::int64_t at, std::int32_t run) {
  Module self(*x.trace, item("albert_layer_groups", at), "AlbertLayerGroup", Module::Kind::kModule,
              run);
  for (std::int64_t i = 0; i < groups.inner; ++i) x = layer(m, x, i);
  return self.returns(x);
}

Tensor transformer(const BertLike& m, const Groups& groups, const Tensor& embeddings) {
  Trace& trace = *embeddings.trace;
  Module self(trace, "encoder", "AlbertTransformer");
  Tensor x = linear(embeddings, "embedding_hidden_mapping_in", m.hidden);
  std::vector<std::int32_t> runs(static_cast<std::size_t>(groups.count));
  const bool repeats = m.layers > groups.count;
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const std::int64_t at = std::min(groups.at(i, m.layers), groups.count - 1);
    const std::int32_t run = runs[static_cast<std::size_t>(at)]++;
    x = group(m, groups, x, at, repeats ? run : -1);
  }
  // With fewer layers than groups, some groups have no turn.
  const Uncalled rest(trace);
  for (std::int64_t at = 0; at < groups.count; ++at) {
    if (runs[static_cast<std::size_t>(at)] == 0) group(m, groups, x, at, -1);
  }
  return self.returns(x);
}

Tensor pooler(const BertLike& m, const Tensor& x) {
  const Tensor first = linear(x.select(1), "pooler", m.hidden);
  return activation(first, "pooler_activation", "tanh");
}

BertLike read(ConfigReader& c, const Trace& trace) {
  BertLike m = read_bert_like(c, trace,
                              {.prefix = "Albert",
                               .base = "albert",
                               .vocab = 30000,
                               .hidden = 4096,
                               .heads = 64,
                               .intermediate = 16384,
                               .embedding = c.size({"embedding_size"}, 128),
                               .activation = "gelu_new",
                               .pooler = pooler});
  const Groups groups{std::max<std::int64_t>(1, c.layers({"num_hidden_groups"}, 1)),
                      c.layers({"inner_group_num"}, 1)};
  constexpr std::int64_t kMaxLayerRuns = 20'000;
  if (std::max(m.layers, groups.count) * groups.inner > kMaxLayerRuns)
    c.reject("inner_group_num", "makes more layers than are supported");
  m.encoder = [groups](const BertLike& model, const Tensor& x) {
    return transformer(model, groups, x);
  };
  return m;
}

Tensor predictions(const BertLike& m, const BertOutput& out) {
  Module self(*out.hidden.trace, "predictions", "AlbertMLMHead");
  Tensor y = linear(out.hidden, "dense", m.embedding);
  y = activation(y, "activation", m.activation);
  y = layer_norm(y, "LayerNorm");
  return self.returns(vocabulary_decoder(m, y, out.words));
}

void masked_lm(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "AlbertForMaskedLM");
  const BertOutput out = bert_like_model(m, trace, "albert", Pooler::kNo);
  self.returns(predictions(m, out));
}

void pre_training(const BertLike& m, Trace& trace, ConfigReader&) {
  Module self(trace, "", "AlbertForPreTraining");
  const BertOutput out = bert_like_model(m, trace, "albert", Pooler::kYes);
  const Tensor scores = predictions(m, out);
  Module order(trace, "sop_classifier", "AlbertSOPHead");
  order.returns(linear(out.pooled, "classifier", m.labels));
  self.returns(scores);
}

constexpr ModelClass kClasses[] = {
    {"AlbertModel", bert_like_class<read, bert_like_base>},
    {"AlbertForMaskedLM", bert_like_class<read, masked_lm>},
    {"AlbertForPreTraining", bert_like_class<read, pre_training>},
    {"AlbertForSequenceClassification", bert_like_class<read, pooled_classification>},
    {"AlbertForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"AlbertForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kAlbert;
constexpr Family kAlbert{"albert", kClasses};

}  // namespace wattree
