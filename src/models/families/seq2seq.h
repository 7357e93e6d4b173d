// What encoder-decoders share: which part of the model a pass calls, and what their attention
// attends to.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

// A decode step is given the encoder's output, and does not call the encoder.
bool is_decode_step(const Trace& trace);
// Tokens the encoder sees, or saw before a decode step.
std::int64_t source_length(const Trace& trace);
// The tokens of encoder and decoder, [b, s].
Tensor source_ids(Trace& trace);
Tensor target_ids(Trace& trace);
// The decoder's cache. A decode step has one, whatever the config says.
Cache decoder_cache(ConfigReader& config, const Trace& trace);

// `shared`: the word embedding whose weight encoder and decoder use through modules of their own.
// It is never called itself; the result is its weight.
Tensor shared_embedding(Trace& trace, std::int64_t rows, std::int64_t width,
                        std::string_view type = "Embedding");

// Classes whose heads need the whole sequence take no cache; false (and an error) where the pass
// asks for one.
bool is_whole_pass(ConfigReader& config, const Trace& trace);

// What the decoder is given where there is no target: the source, moved on by one token.
Tensor shift_right(const Tensor& ids);
// classification_head, a module of class `type`: scores from the hidden state of each sequence's
// end-of-text token, of which there must be one.
Tensor end_token_classification(const Tensor& hidden, const Tensor& ids, std::string_view type,
                                std::int64_t labels);

struct KeysValues {
  Tensor keys;  // [b, h, s, d]
  Tensor values;
};
using Projection = std::function<Tensor(const Tensor& states, std::string_view name)>;
// What an attention module attends to: two projections of `states`, kept in the cache. In a decode
// step those of the encoder's output (`is_cross`) are in the cache already: the projections are
// there, but not called.
KeysValues keys_and_values(const Tensor& states, const Cache& cache, bool is_cross,
                           std::string_view key_name, std::string_view value_name,
                           const Projection& project);

}  // namespace wattree
