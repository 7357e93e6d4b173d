// The BART-shaped text model: an encoder and a decoder of BART's layers over one vocabulary or two,
// with absolute positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/models/families/bart_layers.h"

namespace wattree {

struct BartLike {
  BartLayers layers;
  std::int64_t vocab = 0, decoder_vocab = 0, positions = 0;
  std::string embedding_type = "Embedding";
  std::string position_type = {};    // Class of the table of positions.
  std::int64_t position_offset = 0;  // Its rows before the first position.
  bool embedding_scales = false;     // The embedding's class multiplies by the scale itself.
  bool norms_embeddings = false;
  bool shares_embeddings = true;  // One table for encoder and decoder.
  bool is_tied = true;
};

// The fields, with the family's defaults in `defaults`; the positions are checked.
BartLike read_bart_like(ConfigReader& config, const Trace& trace, const BartLike& defaults);

struct BartOutput {
  Tensor hidden;
  Tensor words;  // The weight a language-model head is tied to.
};
// `ids`: the source. The decoder is given tokens of its own, or else, as in classification, the
// source shifted by one.
BartOutput bart_like_model(const BartLike& model, const Tensor& ids, std::string_view name,
                           bool has_target = true);

void bart_like_base(const BartLike& model, Trace& trace, ConfigReader& config);
// With a language-model head; `name` is the class.
void bart_like_generation(const BartLike& model, Trace& trace, ConfigReader& config,
                          std::string_view name);

}  // namespace wattree
