#include "src/models/families/bart_like.h"

#include <algorithm>

#include "src/models/families/fields.h"
#include "src/models/families/heads.h"
#include "src/models/families/seq2seq.h"

namespace wattree {
namespace {

// `table` is the shared weight to use, or is filled with one of its own, of `rows` rows.
Tensor embed_tokens(const BartLike& m, const Tensor& ids, std::int64_t rows, Tensor* table) {
  Trace& trace = *ids.trace;
  Tensor x;
  {
    Module self(trace, "embed_tokens", m.embedding_type, Module::Kind::kPrimitive);
    if (table->is_weight()) {
      trace.hold(*table);
    } else {
      *table = trace.parameter({rows, m.layers.hidden});
    }
    x = embedding_kernel(ids, *table);
    if (m.embedding_scales) x = x * 1.0;
    self.returns(x);
  }
  if (!m.embedding_scales) x = x * 1.0;
  trace.keep(x);
  return x;
}

// The decoder gives the positions, [s]; the encoder, without them, has them counted for all of
// `ids`.
Tensor embed_positions(const BartLike& m, const Tensor& ids, const Tensor* places) {
  Trace& trace = *ids.trace;
  Module self(trace, "embed_positions", m.position_type, Module::Kind::kPrimitive);
  const Tensor table = trace.parameter({m.positions + m.position_offset, m.layers.hidden});
  Tensor rows = places != nullptr ? *places : arange(trace, ids.dim(1));
  if (m.position_offset > 0) {
    rows = places != nullptr ? rows.unsqueeze(0) : rows.expand({ids.dim(0), -1});
    rows = rows + 2.0;
  }
  const Tensor positions = embedding_kernel(rows, table);
  trace.keep_for_caller(positions);
  return self.returns(positions);
}

Tensor norm_embeddings(const BartLike& m, const Tensor& x) {
  return m.norms_embeddings ? layer_norm(x, "layernorm_embedding") : x;
}

Tensor encode(const BartLike& m, const Tensor& ids, Tensor words) {
  Trace& trace = *ids.trace;
  Uncalled uncalled(trace, is_decode_step(trace));
  Module self(trace, "encoder", m.layers.type("Encoder"));
  const Tensor tokens = embed_tokens(m, ids, m.vocab, &words);
  const Tensor positions = embed_positions(m, ids, nullptr);
  const Tensor x = norm_embeddings(m, tokens + positions);
  return self.returns(bart_encoder_layers(m.layers, x));
}

Tensor decode(const BartLike& m, const Tensor& ids, const Tensor& encoded, Tensor* words) {
  Trace& trace = *ids.trace;
  Module self(trace, "decoder", m.layers.type("Decoder"));
  const Tensor tokens = embed_tokens(m, ids, m.decoder_vocab, words);
  const Tensor places = arange(trace, ids.dim(1)) + 0.0;
  // Without a mask from outside, one that hides nothing is made.
  const MaskSizes sizes{ids.dim(0), ids.dim(1), m.layers.cache.past + ids.dim(1)};
  const Tensor ones = fill(trace, Op::kOnes, DType::kFloat32, {sizes.batch, sizes.keys});
  const Mask mask = causal_mask(trace, sizes, ones);
  const Tensor positions = embed_positions(m, ids, &places);
  const Tensor x = norm_embeddings(m, tokens + positions);
  return self.returns(bart_decoder_layers(m.layers, x, encoded, mask));
}

}  // namespace

BartLike read_bart_like(ConfigReader& c, const Trace& trace, const BartLike& defaults) {
  BartLike m = defaults;
  m.layers = read_bart_layers(c, trace, m.layers);
  m.vocab = c.size({"vocab_size"}, m.vocab);
  m.decoder_vocab = m.vocab;
  m.positions = c.size({"max_position_embeddings"}, m.positions);
  m.is_tied = c.flag({"tie_word_embeddings"}, true);
  const Pass& pass = trace.pass();
  check_positions(c, source_length(trace), m.positions, "max_position_embeddings", "seq");
  check_positions(c, pass.past + pass.target_len, m.positions, "max_position_embeddings",
                  target_length_field(pass));
  return m;
}

BartOutput bart_like_model(const BartLike& m, const Tensor& ids, std::string_view name,
                           bool has_target) {
  Trace& trace = *ids.trace;
  Module self(trace, name, m.layers.type("Model"));
  const Tensor target = has_target
                            ? trace.input(DType::kInt64, {ids.dim(0), trace.pass().target_len})
                            : shift_right(ids);
  Tensor shared;
  if (m.shares_embeddings)
    shared = shared_embedding(trace, m.vocab, m.layers.hidden, m.embedding_type);
  Tensor words = m.is_tied ? shared : Tensor();
  const Tensor encoded = encode(m, ids, words);
  trace.hand_over(encoded);
  BartOutput out;
  out.hidden = self.returns(decode(m, target, encoded, &words));
  trace.hand_over(out.hidden);
  out.words = m.shares_embeddings ? shared : words;
  return out;
}

void bart_like_base(const BartLike& m, Trace& trace, ConfigReader& c) {
  if (c.ok()) bart_like_model(m, source_ids(trace), "");
}

void bart_like_generation(const BartLike& m, Trace& trace, ConfigReader& c, std::string_view name) {
  if (!c.ok()) return;
  Module self(trace, "", name);
  const BartOutput out = bart_like_model(m, source_ids(trace), "model");
  const Tensor logits = language_model_head(out.hidden, "lm_head", out.words, m.is_tied);
  const Tensor offsets = trace.buffer(trace.dtype(), {1, logits.dim(-1)});
  self.returns(logits + offsets);
}

}  // namespace wattree
