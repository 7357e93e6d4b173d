// The T5-shaped encoder-decoder: pre-norm blocks without any bias, whose attention is unscaled and
// gets a learned bias by relative position, worked out in the first block of a stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

struct T5Like {
  std::string prefix;  // "T5": T5Model, T5Stack, T5LayerNorm, …
  std::int64_t vocab = 0, hidden = 0, head_dim = 0, inner = 0, layers = 0, decoder_layers = 0,
               heads = 0, buckets = 0;
  std::string feed_forward;  // feed_forward_proj: an activation, or "gated-" and an activation.
  std::string activation = {};
  bool is_gated = false;
  bool is_tied = true;         // The head has the embeddings' weight.
  bool scales_output = false;  // Multiplies the decoder's output before the head.
  bool has_start_token = false;
  Cache cache = {};

  std::string type(std::string_view suffix) const { return prefix + std::string(suffix); }
};

// The fields, with the family's defaults in `defaults`.
T5Like read_t5_like(ConfigReader& config, const Trace& trace, const T5Like& defaults);

void t5_like_base(const T5Like& model, Trace& trace, ConfigReader& config);
void t5_like_conditional_generation(const T5Like& model, Trace& trace, ConfigReader& config);
void t5_like_encoder(const T5Like& model, Trace& trace, ConfigReader& config);
void t5_like_sequence_classification(const T5Like& model, Trace& trace, ConfigReader& config);
void t5_like_token_classification(const T5Like& model, Trace& trace, ConfigReader& config);
void t5_like_question_answering(const T5Like& model, Trace& trace, ConfigReader& config);

}  // namespace wattree
