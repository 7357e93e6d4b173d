#include "src/models/families/t5_like.h"

#include <optional>

#include "src/base/checked.h"
#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/families/seq2seq.h"

namespace wattree {
namespace {

// One stack of blocks, and what they hand on to each other.
struct Stack {
  bool is_decoder = false;
  std::int64_t layers = 0;
  Cache cache = {false, 0, {}};
  Tensor encoded = {};  // The encoder's output, in the decoder.
  Mask mask = std::nullopt;
  Mask self_bias = std::nullopt;
  Mask cross_bias = std::nullopt;
};

void read_feed_forward(ConfigReader& c, T5Like& m) {
  const std::string name = c.text({"feed_forward_proj"}, m.feed_forward);
  const std::size_t dash = name.find('-');
  m.is_gated = name.substr(0, dash) == "gated";
  m.activation = dash == std::string::npos ? name : name.substr(dash + 1);
  if (dash != std::string::npos && !m.is_gated)
    c.reject("feed_forward_proj", "must be an activation, or \"gated-\" and an activation");
  if (name == "gated-gelu") m.activation = "gelu_new";
  // Files written by the library name the outcome as well, and that is taken.
  m.activation = activation_field(c, {"dense_act_fn"}, m.activation);
  m.is_gated = c.flag({"is_gated_act"}, m.is_gated);
}

Tensor norm(const T5Like& m, const Tensor& x, std::string_view name) {
  Module self(*x.trace, name, m.type("LayerNorm"), Module::Kind::kMl);
  const Tensor weight = x.trace->parameter({m.hidden});
  const Tensor scale = inverse_root_mean_square(x.to(DType::kFloat32));
  const Tensor normed = (x * scale).to(weight.dtype);
  return self.returns(weight * normed);
}

// Half precision overflows: a block looks for infinities after each of its layers and cuts them.
Tensor cut_infinities(const Tensor& x) {
  if (x.dtype != DType::kFloat16) return x;
  Trace& trace = *x.trace;
  const Tensor is_infinite = predicate(Op::kIsInf, x);
  const Tensor any = trace.emit(Op::kAny, {&is_infinite}, trace.tensor(DType::kBool, {}));
  const Tensor low = scalar(trace, DType::kFloat32);
  const Tensor high = scalar(trace, DType::kFloat32);
  const Tensor limit = where(any, low, high);
  const Tensor minus_limit = -limit;
  return trace.emit(Op::kClamp, {&x, &minus_limit, &limit},
                    Tensor(&trace, x.dtype, x.size, x.stride));
}

// The bucket of every distance between query and key: near ones have one each, far ones share them
// by the logarithm.
Tensor distance_buckets(Trace& trace, std::int64_t queries, std::int64_t keys,
                        bool is_bidirectional) {
  const Tensor at = arange(trace, queries).unsqueeze(1) + 0.0;
  const Tensor seen = arange(trace, keys).unsqueeze(0);
  Tensor distance = seen - at;
  Tensor side;
  if (is_bidirectional) {
    const Tensor is_ahead = predicate(Op::kGt, distance);
    const Tensor half = is_ahead.to(DType::kInt64) * 1.0;
    side = half + 0.0;
    distance = unary(Op::kAbs, distance);
  } else {
    const Tensor zeros = fill_like(Op::kZerosLike, distance);
    distance = -binary(Op::kMinimum, distance, zeros);
  }
  const Tensor is_near = predicate(Op::kLt, distance);
  const Tensor ratio = distance.to(DType::kFloat32) / 1.0;
  const Tensor logarithm = unary(Op::kLog, ratio) / 1.0;
  const Tensor far = (logarithm * 1.0).to(DType::kInt64) + 0.0;
  const Tensor last = fill_like(Op::kFullLike, far);
  const Tensor bounded = binary(Op::kMinimum, far, last);
  const Tensor bucket = where(is_near, distance, bounded);
  return is_bidirectional ? in_place(Op::kAddInPlace, side, bucket) : bucket + 0.0;
}

Tensor relative_bias(const T5Like& m, Trace& trace, std::int64_t queries, std::int64_t keys,
                     bool is_bidirectional) {
  const Tensor buckets = distance_buckets(trace, queries, keys, is_bidirectional);
  return embedding(buckets, "relative_attention_bias", m.buckets, m.heads)
      .permute({2, 0, 1})
      .unsqueeze(0);
}

Tensor attend(const T5Like& m, Stack& stack, const Tensor& x, std::string_view name,
              bool is_cross) {
  Trace& trace = *x.trace;
  Module self(trace, name, m.type("Attention"));
  const std::int64_t width = saturating_mul(m.heads, m.head_dim);
  const Projection project = [&](const Tensor& states, std::string_view projection) {
    return split_heads(linear(states, projection, width, Bias::kNo), m.head_dim);
  };
  const Tensor q = project(x, "q");
  const auto [k, v] =
      keys_and_values(is_cross ? stack.encoded : x, stack.cache, is_cross, "k", "v", project);
  Mask& bias = is_cross ? stack.cross_bias : stack.self_bias;
  if (!bias && is_cross) {
    bias = fill(trace, Op::kZeros, q.dtype, {1, m.heads, q.dim(2), k.dim(2)});
  } else if (!bias) {
    bias = relative_bias(m, trace, q.dim(2), k.dim(2), !stack.is_decoder);
  }
  const Tensor y = attention(q, k, v,
                             {.mask = is_cross ? std::nullopt : stack.mask,
                              .is_causal = stack.is_decoder && !is_cross,
                              .position_bias = bias});
  return self.returns(linear(y.flatten_from(2), "o", m.hidden, Bias::kNo));
}

Tensor attention_layer(const T5Like& m, Stack& stack, const Tensor& x, int index, bool is_cross) {
  Module self(*x.trace, item("layer", index),
              m.type(is_cross ? "LayerCrossAttention" : "LayerSelfAttention"));
  const Tensor normed = norm(m, x, "layer_norm");
  const Tensor y =
      attend(m, stack, normed, is_cross ? "EncDecAttention" : "SelfAttention", is_cross);
  return self.returns(x + y);
}

Tensor dense(const T5Like& m, const Tensor& x) {
  Module self(*x.trace, "DenseReluDense",
              m.type(m.is_gated ? "DenseGatedActDense" : "DenseActDense"));
  Tensor y = linear(x, m.is_gated ? "wi_0" : "wi", m.inner, Bias::kNo);
  y = activation(y, "act", m.activation);
  if (m.is_gated) y = y * linear(x, "wi_1", m.inner, Bias::kNo);
  return self.returns(linear(y, "wo", m.hidden, Bias::kNo));
}

Tensor feed_forward_layer(const T5Like& m, const Tensor& x, int index) {
  Module self(*x.trace, item("layer", index), m.type("LayerFF"));
  const Tensor y = dense(m, norm(m, x, "layer_norm"));
  return self.returns(x + y);
}

Tensor block(const T5Like& m, Stack& stack, Tensor x, std::int64_t index) {
  Module self(*x.trace, item("block", index), m.type("Block"));
  int next = 0;
  // What a layer returns stays in a variable of the block.
  auto attend = [&](bool is_cross) {
    const Tensor y = attention_layer(m, stack, x, next++, is_cross);
    x.trace->keep(y);
    x = cut_infinities(y);
  };
  attend(false);
  if (stack.is_decoder) attend(true);
  return self.returns(cut_infinities(feed_forward_layer(m, x, next)));
}

Tensor run(const T5Like& m, Stack stack, const Tensor& ids, const Tensor& words,
           std::string_view name) {
  Trace& trace = *ids.trace;
  Module self(trace, name, m.type("Stack"));
  Tensor x = tied_embedding(ids, "embed_tokens", words);
  if (stack.is_decoder)
    stack.mask = causal_mask(trace, {ids.dim(0), ids.dim(1), stack.cache.keys(ids.dim(1))});
  for (std::int64_t i = 0; i < stack.layers; ++i) x = block(m, stack, x, i);
  return self.returns(norm(m, x, "final_layer_norm"));
}

Tensor encode(const T5Like& m, const Tensor& ids, const Tensor& words) {
  Trace& trace = *ids.trace;
  Uncalled uncalled(trace, is_decode_step(trace));
  return run(m, {.layers = m.layers}, ids, words, "encoder");
}

// `words` is filled with the weight that all embeddings share.
Tensor encode_and_decode(const T5Like& m, const Tensor& source, const Tensor& target,
                         Tensor* words = nullptr) {
  const Tensor shared = shared_embedding(*source.trace, m.vocab, m.hidden);
  if (words != nullptr) *words = shared;
  const Tensor encoded = encode(m, source, shared);
  const Tensor decoded =
      run(m, {.is_decoder = true, .layers = m.decoder_layers, .cache = m.cache, .encoded = encoded},
          target, shared, "decoder");
  for (const Tensor* result : {&encoded, &decoded}) source.trace->hand_over(*result);
  return decoded;
}

Tensor encoder_model(const T5Like& m, Trace& trace, std::string_view name) {
  Module self(trace, name, m.type("EncoderModel"));
  const Tensor words = shared_embedding(trace, m.vocab, m.hidden);
  return self.returns(encode(m, source_ids(trace), words));
}

bool is_encoder_ready(ConfigReader& c, const Trace& trace) {
  if (c.flag({"is_decoder"}, false)) c.reject("is_decoder", "must be false for this class");
  return is_full_pass(c, trace) && c.ok();
}

// Without is_encoder_decoder the library joins the keys of both attentions in one cache: no model.
bool is_ready(ConfigReader& c) {
  if (!c.flag({"is_encoder_decoder"}, true))
    c.reject("is_encoder_decoder", "must be true for this class");
  return c.ok();
}

}  // namespace

T5Like read_t5_like(ConfigReader& c, const Trace& trace, const T5Like& defaults) {
  T5Like m = defaults;
  m.vocab = c.size({"vocab_size"}, m.vocab);
  // The general names win where a file has both. Without a number of its own, the decoder has as
  // many layers as the encoder's own name says.
  m.hidden = c.size({"hidden_size", "d_model"}, m.hidden);
  m.head_dim = c.size({"head_dim", "d_kv"}, m.head_dim);
  m.inner = c.size({"d_ff"}, m.inner);
  m.decoder_layers = c.layers({"num_decoder_layers", "num_layers"}, m.layers);
  m.layers = c.layers({"num_hidden_layers", "num_layers"}, m.layers);
  m.heads = c.size({"num_attention_heads", "num_heads"}, m.heads);
  m.buckets = c.size({"relative_attention_num_buckets"}, m.buckets);
  if (m.buckets < 4) c.reject("relative_attention_num_buckets", "must be at least 4");
  read_feed_forward(c, m);
  // As the file says and as published weights have it. The library sets it to true, and unties the
  // head again when it finds another weight in the checkpoint.
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  m.cache = decoder_cache(c, trace);
  return m;
}

void t5_like_base(const T5Like& m, Trace& trace, ConfigReader& c) {
  if (!is_ready(c)) return;
  Module self(trace, "", m.type("Model"));
  self.returns(encode_and_decode(m, source_ids(trace), target_ids(trace)));
}

void t5_like_conditional_generation(const T5Like& m, Trace& trace, ConfigReader& c) {
  if (!is_ready(c)) return;
  Module self(trace, "", m.type("ForConditionalGeneration"));
  Tensor words;
  Tensor y = encode_and_decode(m, source_ids(trace), target_ids(trace), &words);
  if (m.scales_output) y = y * 1.0;
  self.returns(language_model_head(y, "lm_head", words, m.is_tied));
}

void t5_like_encoder(const T5Like& m, Trace& trace, ConfigReader& c) {
  if (is_encoder_ready(c, trace)) encoder_model(m, trace, "");
}

void t5_like_sequence_classification(const T5Like& m, Trace& trace, ConfigReader& c) {
  const std::int64_t labels = label_count(c);
  if (!c.has({"decoder_start_token_id"}, m.has_start_token))
    c.reject("decoder_start_token_id", "is needed to classify sequences");
  if (!is_whole_pass(c, trace) || !is_ready(c)) return;
  Module self(trace, "", m.type("ForSequenceClassification"));
  const Tensor ids = source_ids(trace);
  const Tensor target = shift_right(ids);
  Tensor y;
  {
    Module model(trace, "transformer", m.type("Model"));
    y = model.returns(encode_and_decode(m, ids, target));
  }
  self.returns(end_token_classification(y, ids, m.type("ClassificationHead"), labels));
}

void t5_like_token_classification(const T5Like& m, Trace& trace, ConfigReader& c) {
  const std::int64_t labels = label_count(c);
  if (!is_encoder_ready(c, trace)) return;
  Module self(trace, "", m.type("ForTokenClassification"));
  const Tensor y = encoder_model(m, trace, "transformer");
  self.returns(linear(y, "classifier", labels));
}

void t5_like_question_answering(const T5Like& m, Trace& trace, ConfigReader& c) {
  if (!is_whole_pass(c, trace) || !is_ready(c)) return;
  Module self(trace, "", m.type("ForQuestionAnswering"));
  const Tensor y = encode_and_decode(m, source_ids(trace), target_ids(trace));
  self.returns(question_answering_head(y, c));
}

}  // namespace wattree
