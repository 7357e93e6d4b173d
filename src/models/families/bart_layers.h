// The layers of BART's descendants: attention with biases, then a plain feed-forward part, each
// with a norm after its residual or, in some, before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/symbolic/attention.h"

namespace wattree {

struct BartStack {
  std::int64_t layers = 0, heads = 0, inner = 0, head_dim = 0;
};

struct BartLayers {
  std::string prefix;  // "Bart": BartAttention, BartEncoderLayer, …
  std::int64_t hidden = 0;
  BartStack encoder = {}, decoder = {};
  std::string activation = "gelu";
  // Whisper's ways: norms come first, keys have no bias, and queries are scaled before the heads
  // are split and laid out anew.
  bool is_whisper = false;
  Cache cache = {};

  std::string type(std::string_view suffix) const { return prefix + std::string(suffix); }
};

// The fields all of these spell alike, with the family's defaults in `defaults`; heads are checked.
BartLayers read_bart_layers(ConfigReader& config, const Trace& trace, const BartLayers& defaults);

Tensor bart_encoder_layers(const BartLayers& model, Tensor x);
Tensor bart_decoder_layers(const BartLayers& model, Tensor x, const Tensor& encoded,
                           const Mask& mask);

}  // namespace wattree
