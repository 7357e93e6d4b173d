// MPNet (Song et al. 2020): BERT without token types, with one relative position bias for all
// layers.
#include <algorithm>
#include <cmath>

#include "src/models/families/bert_like.h"
#include "src/models/families/fields.h"

namespace wattree {
namespace {

// The model always sorts distances into this many buckets, half of them for each direction and half
// of those for one distance each; the rest grow up to kMaxDistance. The config only sizes the
// table.
constexpr std::int64_t kDirection = 16, kExact = 8, kMaxDistance = 128;

// The largest bucket that a sequence reaches.
std::int64_t last_bucket(std::int64_t length) {
  if (length == 1) return 0;
  const std::int64_t distance = length - 1;
  if (distance < kExact) return kDirection + distance;
  const double growth = std::log(static_cast<double>(distance) / kExact) /
                        std::log(static_cast<double>(kMaxDistance) / kExact);
  return kDirection + std::min(kDirection - 1, kExact + static_cast<std::int64_t>(growth * kExact));
}

Tensor bucket_of(const Tensor& relative) {
  Tensor distance = -relative;
  const Tensor is_ahead = predicate(Op::kLt, distance).to(DType::kInt64);
  const Tensor direction = is_ahead * static_cast<double>(kDirection);
  const Tensor bucket = direction + 0.0;
  distance = unary(Op::kAbs, distance);
  const Tensor is_small = predicate(Op::kLt, distance);
  Tensor large = distance.to(DType::kFloat32) / static_cast<double>(kExact);
  large = unary(Op::kLog, large);
  large = large / 1.0;
  large = (large * 1.0).to(DType::kInt64);
  large = large + static_cast<double>(kExact);
  const Tensor last = fill_like(Op::kFullLike, large);
  large = binary(Op::kMinimum, large, last);
  const Tensor within = where(is_small, distance, large);
  return in_place(Op::kAddInPlace, bucket, within);
}

// [b, heads, s, s], worked out on the host up to the look-up.
Tensor position_bias(const BertLike& m, const Tensor& x, std::int64_t buckets) {
  Trace& trace = *x.trace;
  const std::int64_t length = x.dim(1);
  const Tensor queries = arange(trace, length).unsqueeze(1);
  const Tensor keys = arange(trace, length).unsqueeze(0);
  const Tensor bucket = to_copy(bucket_of(keys - queries), DType::kInt64);
  const Tensor values = embedding(bucket, "relative_attention_bias", buckets, m.heads);
  return values.permute({2, 0, 1}).unsqueeze(0).expand({x.dim(0), -1, length, length}).contiguous();
}

Tensor self_attention(const BertLike& m, const Tensor& x, const Tensor& bias) {
  Module self(*x.trace, "attn", "MPNetSelfAttention");
  const Tensor q = split_heads(linear(x, "q", m.hidden), m.head_dim);
  const Tensor k = split_heads(linear(x, "k", m.hidden), m.head_dim);
  const Tensor v = split_heads(linear(x, "v", m.hidden), m.head_dim);
  Tensor scores = matmul(q, k.transpose(2, 3)) / 1.0;
  scores = in_place(Op::kAddInPlace, scores, bias);
  const Tensor weights = softmax(scores);
  const Tensor y = matmul(weights, v).permute({0, 2, 1, 3}).contiguous();
  return self.returns(linear(y.flatten_from(2), "o", m.hidden));
}

Tensor attention_block(const BertLike& m, const Tensor& x, const Tensor& bias) {
  Module self(*x.trace, "attention", "MPNetAttention");
  const Tensor y = self_attention(m, x, bias);
  return self.returns(layer_norm(y + x, "LayerNorm"));
}

Tensor encoder(const BertLike& m, std::int64_t buckets, Tensor x) {
  Module self(*x.trace, "encoder", "MPNetEncoder");
  const Tensor bias = position_bias(m, x, buckets);
  for (std::int64_t i = 0; i < m.layers; ++i) {
    Module layer(*x.trace, item("layer", i), "MPNetLayer");
    const Tensor attended = attention_block(m, x, bias);
    x = layer.returns(feed_forward(m, attended));
  }
  return self.returns(x);
}

BertLike read(ConfigReader& c, const Trace& trace) {
  const std::int64_t buckets = c.size({"relative_attention_num_buckets"}, 32);
  if (last_bucket(trace.pass().seq) >= buckets)
    c.reject("relative_attention_num_buckets", "is too small for the distances in the sequence");
  // Padding is 1 here, whatever the config says.
  return read_bert_like(
      c, trace,
      {.prefix = "MPNet",
       .base = "mpnet",
       .vocab = 30527,
       .types = 0,
       .padding = 1,
       .encoder = [buckets](const BertLike& m, const Tensor& x) { return encoder(m, buckets, x); },
       .pooler = bert_pooler});
}

constexpr ModelClass kClasses[] = {
    {"MPNetModel", bert_like_class<read, bert_like_base>},
    {"MPNetForMaskedLM", bert_like_class<read, bert_like_masked_lm>},
    {"MPNetForSequenceClassification", bert_like_class<read, first_token_classification>},
    {"MPNetForTokenClassification", bert_like_class<read, bert_like_token_classification>},
    {"MPNetForQuestionAnswering", bert_like_class<read, bert_like_question_answering>},
};

}  // namespace

extern const Family kMpnet;
constexpr Family kMpnet{"mpnet", kClasses, /*has_sdpa=*/false};

}  // namespace wattree
