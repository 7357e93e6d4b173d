// What decoders and encoders share: masks, the key-value cache, the two attention implementations,
// rotary embeddings. Follows Transformers 5.17 (masking_utils, cache_utils,
// integrations/sdpa_attention), called without an attention mask.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "src/models/symbolic/nn.h"
#include "src/models/symbolic/ops.h"

namespace wattree {

// --- masks: none where the attention implementation needs none ---
using Mask = std::optional<Tensor>;

struct MaskSizes {
  std::int64_t batch = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// create_causal_mask(): each token sees itself and those before it; with a window, only the last
// `window` of them. Eager attention gets an additive mask; sdpa gets none where is_causal does the
// same, otherwise a boolean one.
Mask causal_mask(Trace& trace, const MaskSizes& sizes,
                 std::optional<std::int64_t> window = std::nullopt);
// The same for a model that hands over an attention mask [b, keys] of its own, though it hides
// nothing: sdpa looks whether it does, eager attention joins the two.
Mask causal_mask(Trace& trace, const MaskSizes& sizes, const Tensor& attention_mask);
// The same for a model that wants it in any case: boolean for sdpa.
Tensor explicit_causal_mask(Trace& trace, const MaskSizes& sizes);
// create_causal_mask() with an or_mask_function that looks ahead too: everywhere, or within the
// window. Such a mask is always made, and index by index (vmap).
Tensor overlaid_causal_mask(Trace& trace, const MaskSizes& sizes,
                            std::optional<std::int64_t> window = std::nullopt);
// create_bidirectional_mask(): nothing is hidden, so there is no mask at all; with a window, |q -
// k| <= window.
Mask bidirectional_mask(Trace& trace, const MaskSizes& sizes,
                        std::optional<std::int64_t> window = std::nullopt);
// What create_causal_mask() runs first when it gets position ids [1 or b, s] and there is no cache:
// a look for packed sequences.
void check_packed_sequences(const Tensor& position_ids, std::int64_t batch);

// --- the cache of one layer (DynamicCache) ---
// What the decoder was given of the past, and whether the pass keeps a cache at all.
struct Cache {
  bool used = true;
  std::int64_t past = 0;
  std::optional<std::int64_t> window;  // A sliding layer keeps the last window - 1 tokens.

  std::int64_t kept() const;  // Tokens of the past held by such a layer.
  std::int64_t keys(std::int64_t queries) const { return kept() + queries; }
  Tensor append(const Tensor& states)
      const;  // [b, h, s, d] joined to the past along s: a copy, even of nothing.
  // Both of a layer's states; a sliding layer sends its window to the device at first use.
  void update(Tensor& keys, Tensor& values) const;

 private:
  Tensor joined(const Tensor& states) const;
};

// --- attention over [b, h, s, d] tensors; the result is [b, s, h, d], contiguous ---
struct AttentionOptions {
  Mask mask = std::nullopt;
  bool is_causal = false;
  bool softmax_in_f32 =
      false;             // softmax(..., dtype=float32).to(query.dtype), as newer decoders write it.
  bool softcap = false;  // tanh(scores / cap) * cap before the mask.
  bool scales = true;    // Multiplies the scores by a factor (eager).
  Mask position_bias = std::nullopt;  // Added to the scores: [1 or b, h, q, k].
};
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options);
Tensor eager_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                       const AttentionOptions& options);
Tensor sdpa_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionOptions& options);
Tensor repeat_kv(const Tensor& x, std::int64_t groups);

// [b, s, heads * d] -> [b, heads, s, d].
Tensor split_heads(const Tensor& x, std::int64_t head_dim);

// --- ALiBi: a bias on the scores that grows with the distance ---
// A slope for every head, in fp32. Where the heads are no power of two, the rest get theirs from
// the next one.
Tensor alibi_slopes(Trace& trace, std::int64_t heads);

// --- rotary position embeddings ---
struct Rotary {
  Tensor cos;  // [1 or b, s, dim]
  Tensor sin;
};
// arange(s) + past, [1, s].
Tensor position_ids(Trace& trace, std::int64_t length);
// Kinds of rope that look at the positions first, to see whether the frequencies must be worked out
// anew. (That they are, beyond the trained length, is a handful of operations on a few numbers, and
// not in the tree.)
enum class RopeKind { kFixed, kDynamic, kLong };
// The *RotaryEmbedding module over position ids [1 or b, s]; `run`: which call it is, where a model
// makes several. Cos and sin are of type `out`, that of the activations unless given.
Rotary rotary_embedding(const Tensor& position_ids, std::string_view name, std::string_view type,
                        std::int64_t dim, RopeKind kind = RopeKind::kFixed, std::int32_t run = -1,
                        std::optional<DType> out = std::nullopt);
// x * cos + rotate_half(x) * sin over [b, h, s, d]; cos and sin get a dimension for the heads.
Tensor apply_rotary(const Tensor& x, const Rotary& rotary);
Tensor rotate_half(const Tensor& x);
// The same over the first dimensions of a head, as many as the rotary has, joined to the rest.
Tensor turned_part(const Tensor& x, const Rotary& rotary);
Tensor join_rest(const Tensor& turned, const Tensor& x);

}  // namespace wattree
