// Heads that several families share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/models/config/config.h"
#include "src/models/symbolic/nn.h"

namespace wattree {

// What a decoder hands to its head.
struct DecoderOutput {
  Tensor hidden;
  Tensor ids;
  Tensor words;  // The embedding's weight.
};

// The positions that a language model's head is run on: all, or those that the pass keeps.
Tensor kept_positions(const Tensor& hidden);

// lm_head: [b, s, hidden] -> [b, s, vocab]; `tied` to the embedding's weight where the config says
// so.
Tensor language_model_head(const Tensor& hidden, std::string_view name, const Tensor& embedding,
                           bool is_tied, Bias bias = Bias::kNo);

// GenericForSequenceClassification: a score for every token, then the one of the last token that is
// not padding. `has_padding_token`: whether the config, or the family's default, names one
// (ConfigReader::has({"pad_token_id"}, default)).
Tensor last_token_classification(const Tensor& hidden, const Tensor& ids, ConfigReader& config,
                                 std::string_view name, bool has_padding_token);

// Two scores for every token, for the answer's start and its end. Gives those of the
// start. With a config: the scores are the config's labels, of which there must then be two.
Tensor question_answering_head(const Tensor& hidden, std::string_view name = "qa_outputs");
Tensor question_answering_head(const Tensor& hidden, ConfigReader& config,
                               std::string_view name = "qa_outputs");

}  // namespace wattree
