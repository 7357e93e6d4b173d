// DeBERTa v2 and v3 (He et al. 2020, 2021): BERT's layers with disentangled attention, where words
// and relative positions have scores of their own.
#include <algorithm>
#include <cctype>

#include "src/models/families/bert_like.h"
#include "src/models/families/family.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"

namespace wattree {
namespace {

struct Deberta {
  BertLike bert;            // What the layers share with BERT's.
  bool is_relative;         // Attention looks at relative positions at all.
  bool has_buckets;         // Far positions share an embedding.
  std::int64_t span;        // Embeddings of relative positions, per direction.
  bool shares_projections;  // Positions are projected by the words' own layers.
  bool content_to_position, position_to_content;
  bool norms_positions;
  std::int64_t conv_kernel, conv_groups;  // A convolution beside the first layer; zero: none.
  std::string conv_activation, pooler_activation;
  bool adds_positions;  // Absolute positions, in the embeddings.
  bool has_padding_token, has_old_head;
};

// "a|B" -> {"a", "b"}, as the library reads such fields.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> out{""};
  for (char c : text) {
    if (c == '|') {
      out.emplace_back();
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// A size where anything below one means that there is none.
std::int64_t size_or_none(ConfigReader& c, std::string_view name) {
  return c.number({name}, -1.0) < 1.0 ? 0 : c.size({name}, 1);
}

void read_relative_positions(ConfigReader& c, Deberta& m) {
  m.is_relative = c.flag({"relative_attention"}, false);
  const std::int64_t buckets = size_or_none(c, "position_buckets");
  const std::int64_t furthest = size_or_none(c, "max_relative_positions");
  m.has_buckets = buckets > 0;
  m.span = m.has_buckets ? buckets : furthest > 0 ? furthest : m.bert.positions;
  if (m.is_relative && buckets == 1) c.reject("position_buckets", "must be at least two");
  m.shares_projections = c.flag({"share_att_key"}, false);
  const std::vector<std::string> kinds = c.is_list("pos_att_type")
                                             ? c.text_list({"pos_att_type"})
                                             : alternatives(c.text({"pos_att_type"}, ""));
  m.content_to_position = contains(kinds, "c2p");
  m.position_to_content = contains(kinds, "p2c");
  m.norms_positions = contains(alternatives(c.text({"norm_rel_ebd"}, "none")), "layer_norm");
}

Deberta read(ConfigReader& c, const Trace& trace) {
  Deberta m;
  BertLike& b = m.bert;
  b.prefix = "DebertaV2";
  b.vocab = c.size({"vocab_size"}, 128100);
  b.hidden = c.size({"hidden_size"}, 1536);
  b.layers = c.layers({"num_hidden_layers"}, 24);
  if (b.layers == 0) c.reject("num_hidden_layers", "must be at least one");
  b.heads = c.size({"num_attention_heads"}, 24);
  b.head_dim = c.divide(b.hidden, b.heads, "hidden_size", "num_attention_heads");
  if (c.size({"attention_head_size"}, b.head_dim) != b.head_dim)
    c.reject("attention_head_size", "must be hidden_size / num_attention_heads");
  b.intermediate = c.size({"intermediate_size"}, 6144);
  b.positions = c.size({"max_position_embeddings"}, 512);
  b.types = c.count({"type_vocab_size"}, 0);
  b.embedding = c.size({"embedding_size"}, b.hidden);
  b.activation = activation_field(c, {"hidden_act"}, "gelu");
  b.labels = label_count(c);
  b.is_tied = c.flag({"tie_word_embeddings"}, true);
  read_relative_positions(c, m);
  m.conv_kernel = size_or_none(c, "conv_kernel_size");
  m.conv_groups = c.size({"conv_groups"}, 1);
  m.conv_activation = activation_field(c, {"conv_act"}, "tanh");
  if (m.conv_kernel > 0) c.divide(b.hidden, m.conv_groups, "hidden_size", "conv_groups");
  m.pooler_activation = activation_field(c, {"pooler_hidden_act"}, "gelu");
  if (c.size({"pooler_hidden_size"}, b.hidden) != b.hidden)
    c.reject("pooler_hidden_size", "must be hidden_size");
  m.adds_positions = c.flag({"position_biased_input"}, true);
  m.has_padding_token = c.has({"pad_token_id"}, true);
  m.has_old_head = c.flag({"legacy"}, true);
  if (m.adds_positions)
    check_positions(c, trace.pass().seq, b.positions, "max_position_embeddings",
                    length_field(trace.pass()));
  is_full_pass(c, trace);
  return m;
}

Tensor embeddings(const Deberta& m, const Tensor& ids, const Tensor& types, const Tensor& mask,
                  Tensor* words) {
  const BertLike& b = m.bert;
  Trace& trace = *ids.trace;
  Module self(trace, "embeddings", "DebertaV2Embeddings");
  Tensor x = embedding(ids, "word_embeddings", b.vocab, b.embedding, words);
  if (m.adds_positions) {
    const Tensor places = trace.buffer(DType::kInt64, {1, b.positions}).slice(1, 0, ids.dim(1));
    x = x + embedding(places, "position_embeddings", b.positions, b.embedding);
  } else {
    fill_like(Op::kZerosLike, x);  // Made, and not added.
  }
  if (b.types > 0) x = x + embedding(types, "token_type_embeddings", b.types, b.embedding);
  if (b.embedding != b.hidden) x = linear(x, "embed_proj", b.hidden, Bias::kNo);
  x = layer_norm(x, "LayerNorm");
  return self.returns(x * mask.unsqueeze(2).to(x.dtype));
}

// Distances up to half the buckets keep their own; farther ones share, on a logarithmic scale.
Tensor log_buckets(const Tensor& distance) {
  Trace& trace = *distance.trace;
  const Tensor sign = unary(Op::kSign, distance);
  const Tensor below = predicate(Op::kLt, distance);
  const Tensor above = predicate(Op::kGt, distance);
  const Tensor is_near = binary(Op::kBitwiseAnd, below, above);
  const Tensor middle = to_copy(constant(trace, DType::kInt64), DType::kInt64);  // To the device.
  const Tensor length = unary(Op::kAbs, distance);
  const Tensor clipped = where(is_near, middle, length);
  const Tensor log = unary(Op::kLog, clipped / 1.0);
  const Tensor log_furthest = unary(Op::kLog, constant(trace, DType::kFloat32));
  const Tensor scaled = unary(Op::kCeil, log / log_furthest * 1.0);
  const Tensor bucket = scaled + 1.0;
  const Tensor keeps = predicate(Op::kLe, clipped);
  const Tensor own = distance.to(DType::kFloat32);
  const Tensor shared = bucket * sign;
  return where(keeps, own, shared);
}

// How far each key is from each query: [1, 1, s, s].
Tensor relative_positions(const Deberta& m, const Tensor& x) {
  const Tensor queries = arange(*x.trace, x.dim(1)).unsqueeze(1);
  const Tensor keys = arange(*x.trace, x.dim(1)).unsqueeze(0);
  Tensor distance = queries - keys;
  if (m.has_buckets) distance = log_buckets(distance);
  return distance.to(DType::kInt64).unsqueeze(0).unsqueeze(0);
}

// The embeddings of relative positions, [2 * span, hidden]; nothing looks up in them as a table.
Tensor position_table(const Deberta& m, Trace& trace) {
  Tensor table;
  {
    Module self(trace, "rel_embeddings", "Embedding", Module::Kind::kPrimitive);
    table = trace.parameter({2 * m.span, m.bert.hidden});
  }
  return m.norms_positions ? layer_norm(table, "LayerNorm") : table;
}

// What every layer's attention is given beside the hidden states.
struct Shared {
  Tensor mask;       // [b, 1, s, s], in fp32.
  Tensor distances;  // These two where attention is relative.
  Tensor table;
};

// [b, s, hidden] -> [b * heads, s, head_dim]. `run`: which call of that layer it is, where there
// are two.
Tensor projected_heads(const BertLike& b, const Tensor& x, std::string_view name,
                       std::int32_t run = -1) {
  Tensor y;
  {
    Module self(*x.trace, name, "Linear", Module::Kind::kPrimitive, run);
    const Tensor weight = x.trace->parameter({b.hidden, b.hidden});
    const Tensor bias = x.trace->parameter({b.hidden});
    y = self.returns(linear_kernels(x, weight, &bias));
  }
  return split_heads(y, b.head_dim).contiguous().view({-1, x.dim(1), b.head_dim});
}

// sqrt(head_dim * factor), worked out as a tensor every time it is needed.
Tensor scale_factor(Trace& trace) {
  const Tensor size = to_copy(constant(trace, DType::kInt64), DType::kFloat32);
  return unary(Op::kSqrt, size * 1.0);
}

// The scores that relative positions add: of words to positions, and of positions to words.
Tensor position_scores(const Deberta& m, const Tensor& q, const Tensor& k, const Shared& shared) {
  Trace& trace = *q.trace;
  const BertLike& b = m.bert;
  const Tensor table = shared.table.unsqueeze(0);
  const Dims once_each{q.dim(0) / b.heads, 1, 1};
  Tensor positions_q, positions_k;
  auto make_queries = [&](std::string_view name, std::int32_t run) {
    positions_q = repeat(projected_heads(b, table, name, run), once_each);
  };
  auto make_keys = [&](std::string_view name, std::int32_t run) {
    positions_k = repeat(projected_heads(b, table, name, run), once_each);
  };
  if (m.shares_projections) {
    make_queries("query_proj", 1);
    make_keys("key_proj", 1);
  } else {
    if (m.content_to_position) make_keys("pos_key_proj", -1);
    if (m.position_to_content) make_queries("pos_query_proj", -1);
  }
  const Dims every{q.dim(0), q.dim(1), q.dim(1)};
  Tensor scores;
  if (m.content_to_position) {
    const Tensor scale = scale_factor(trace);
    const Tensor all = bmm(q, positions_k.transpose(1, 2));
    const Tensor at = unary(Op::kClamp, shared.distances + 1.0);
    const Tensor own = gather(all, at.squeeze(0).expand(every));
    scores = own / scale.to(own.dtype) + 0.0;  // A sum that starts at zero.
  }
  if (m.position_to_content) {
    const Tensor scale = scale_factor(trace);
    const Tensor at = unary(Op::kClamp, -shared.distances + 1.0);
    const Tensor all = bmm(k, positions_q.transpose(1, 2));
    const Tensor own = gather(all, at.squeeze(0).expand(every)).transpose(1, 2);
    const Tensor scaled = own / scale.to(own.dtype);
    scores = m.content_to_position ? in_place(Op::kAddInPlace, scores, scaled) : scaled + 0.0;
  }
  return scores;
}

Tensor self_attention(const Deberta& m, const Tensor& x, const Shared& shared) {
  const BertLike& b = m.bert;
  Module self(*x.trace, "self", "DisentangledSelfAttention");
  const std::int32_t run = m.is_relative && m.shares_projections ? 0 : -1;
  const Tensor q = projected_heads(b, x, "query_proj", run);
  const Tensor k = projected_heads(b, x, "key_proj", run);
  const Tensor v = projected_heads(b, x, "value_proj");
  const Tensor scale = scale_factor(*x.trace);
  Tensor scores = bmm(q, k.transpose(1, 2) / scale.to(x.dtype));
  if (m.is_relative) {
    const Tensor more = position_scores(m, q, k, shared);
    const bool has_more = m.content_to_position || m.position_to_content;
    scores = has_more ? scores + more : scores + 0.0;
  }
  scores = scores.view({-1, b.heads, x.dim(1), x.dim(1)});
  const Tensor hidden = unary(Op::kBitwiseNot, shared.mask.to(DType::kBool));
  const Tensor weights = softmax(masked_fill(scores, hidden));
  const Tensor y = bmm(weights.view({-1, x.dim(1), x.dim(1)}), v)
                       .view({-1, b.heads, x.dim(1), b.head_dim})
                       .transpose(1, 2)
                       .contiguous();
  return self.returns(y.flatten_from(2));
}

Tensor layer(const Deberta& m, const Tensor& x, const Shared& shared, std::int64_t index) {
  Trace& trace = *x.trace;
  Module self(trace, item("layer", index), "DebertaV2Layer");
  Tensor y;
  {
    Module attention(trace, "attention", "DebertaV2Attention");
    y = self_attention(m, x, shared);
    y = attention.returns(residual_output(y, x, "DebertaV2SelfOutput"));
  }
  return self.returns(feed_forward(m.bert, y));
}

// Over the embeddings, added to the first layer's result.
Tensor convolution(const Deberta& m, const Tensor& embedded, const Tensor& first,
                   const Tensor& mask) {
  Module self(*first.trace, "conv", "ConvLayer");
  const Tensor columns = embedded.transpose(1, 2).contiguous();
  const std::int64_t padding = (m.conv_kernel - 1) / 2;
  Tensor y =
      conv1d(columns, "conv", m.bert.hidden, m.conv_kernel, 1, padding, Bias::kYes, m.conv_groups)
          .transpose(1, 2)
          .contiguous();
  const Tensor is_padding = (1.0 - mask).to(DType::kBool);
  y = in_place(Op::kMaskedFillInPlace, y, is_padding.unsqueeze(2).expand(y.size));
  y = activation_kernels(y, m.conv_activation);
  y = layer_norm(first + y, "LayerNorm");
  return self.returns(y * mask.unsqueeze(2).to(y.dtype));
}

Tensor encoder(const Deberta& m, const Tensor& embedded, const Tensor& mask) {
  Trace& trace = *embedded.trace;
  Module self(trace, "encoder", "DebertaV2Encoder");
  Shared shared;
  const Tensor keys = mask.unsqueeze(1).unsqueeze(2);
  shared.mask = keys * keys.squeeze(2).unsqueeze(3);
  if (m.is_relative) {
    shared.distances = relative_positions(m, embedded);
    shared.table = position_table(m, trace);
  } else if (m.norms_positions) {
    unused_module(trace, "LayerNorm", "LayerNorm", Module::Kind::kPrimitive,
                  {{m.bert.hidden}, {m.bert.hidden}});
  }
  Tensor x = embedded;
  for (std::int64_t i = 0; i < m.bert.layers; ++i) {
    x = layer(m, x, shared, i);
    if (i == 0 && m.conv_kernel > 0) x = convolution(m, embedded, x, mask);
  }
  return self.returns(x);
}

struct Output {
  Tensor hidden;
  Tensor words;
};

Output model(const Deberta& m, Trace& trace, std::string_view name) {
  Module self(trace, name, "DebertaV2Model");
  const Dims size{trace.pass().batch, trace.pass().seq};
  const Tensor ids = trace.input(DType::kInt64, size);
  look_for_padding(ids, m.has_padding_token);
  const Tensor mask = fill(trace, Op::kOnes, DType::kFloat32, size);
  const Tensor types = fill(trace, Op::kZeros, DType::kInt64, size);
  Output out;
  const Tensor x = embeddings(m, ids, types, mask, &out.words);
  out.hidden = self.returns(encoder(m, x, mask));
  return out;
}

void base(Trace& trace, ConfigReader& c) {
  const Deberta m = read(c, trace);
  if (c.ok()) model(m, trace, "");
}

Tensor old_head(const Deberta& m, const Output& out) {
  Trace& trace = *out.hidden.trace;
  Module self(trace, "cls", "LegacyDebertaV2OnlyMLMHead");
  Module predictions(trace, "predictions", "LegacyDebertaV2LMPredictionHead");
  Tensor y;
  {
    Module transform(trace, "transform", "LegacyDebertaV2PredictionHeadTransform");
    y = linear(out.hidden, "dense", m.bert.embedding);
    y = activation(y, "transform_act_fn", m.bert.activation);
    y = transform.returns(layer_norm(y, "LayerNorm"));
  }
  return self.returns(predictions.returns(vocabulary_decoder(m.bert, y, out.words)));
}

// The word embedding's weight is used in any case; tying makes it the head's as well.
Tensor new_head(const Deberta& m, const Output& out) {
  Trace& trace = *out.hidden.trace;
  Module self(trace, "lm_predictions", "DebertaV2OnlyMLMHead");
  Module head(trace, "lm_head", "DebertaV2LMPredictionHead");
  const Tensor bias = trace.parameter({m.bert.vocab});
  if (m.bert.is_tied) trace.hold(out.words);
  Tensor y = linear(out.hidden, "dense", m.bert.hidden);
  y = activation(y, "transform_act_fn", m.bert.activation);
  y = layer_norm(y, "LayerNorm");
  y = matmul(y, out.words.t()) + bias;
  return self.returns(head.returns(y));
}

void masked_lm(Trace& trace, ConfigReader& c) {
  const Deberta m = read(c, trace);
  if (!c.ok()) return;
  Module self(trace, "", "DebertaV2ForMaskedLM");
  const Output out = model(m, trace, "deberta");
  self.returns(m.has_old_head ? old_head(m, out) : new_head(m, out));
}

void sequence_classification(Trace& trace, ConfigReader& c) {
  const Deberta m = read(c, trace);
  if (!c.ok()) return;
  Module self(trace, "", "DebertaV2ForSequenceClassification");
  Tensor y = model(m, trace, "deberta").hidden;
  {
    Module pooler(trace, "pooler", "ContextPooler");
    y = linear(y.select(1), "dense", m.bert.hidden);
    y = pooler.returns(activation_kernels(y, m.pooler_activation));
  }
  self.returns(linear(y, "classifier", m.bert.labels));
}

void token_classification(Trace& trace, ConfigReader& c) {
  const Deberta m = read(c, trace);
  if (!c.ok()) return;
  Module self(trace, "", "DebertaV2ForTokenClassification");
  const Tensor hidden = model(m, trace, "deberta").hidden;
  self.returns(linear(hidden, "classifier", m.bert.labels));
}

void question_answering(Trace& trace, ConfigReader& c) {
  const Deberta m = read(c, trace);
  if (!c.ok()) return;
  Module self(trace, "", "DebertaV2ForQuestionAnswering");
  const Tensor hidden = model(m, trace, "deberta").hidden;
  self.returns(question_answering_head(hidden, c));
}

constexpr ModelClass kClasses[] = {
    {"DebertaV2Model", base},
    {"DebertaV2ForMaskedLM", masked_lm},
    {"DebertaV2ForSequenceClassification", sequence_classification},
    {"DebertaV2ForTokenClassification", token_classification},
    {"DebertaV2ForQuestionAnswering", question_answering},
};

}  // namespace

extern const Family kDebertaV2;
constexpr Family kDebertaV2{"deberta-v2", kClasses, false};

}  // namespace wattree
