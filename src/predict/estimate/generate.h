// A whole request: the prompt in one pass, and then token after token over a growing cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/predict/estimate/prediction.h"
#include "src/predict/estimate/sweep.h"

namespace wattree {

// Beyond so many decode steps, this many are predicted, evenly spread, and each stands for those
// around it.
inline constexpr std::int64_t kMostSteps = 512;

struct GenerateQuery {
  PassShape tree;          // Its length is the prompt's; of an encoder-decoder the source's.
  std::int64_t steps = 1;  // Decode steps after the prompt's pass.
};

struct DecodeStep {
  std::int64_t past = 0;  // Tokens in the cache.
  PassEstimate estimate;
};

struct Generation {
  Prediction prefill;  // Of an encoder-decoder: the source, and the target's first token.
  std::int64_t steps = 0;
  std::int64_t predicted_steps = 0;  // As `steps`, or kMostSteps of them.
  PassEstimate decode;               // All steps together.
  DecodeStep first;
  DecodeStep last;
  // A class of the family that ends in a vocabulary, where the one that was asked for does not:
  // without it, a language model's last product is not in the figures.
  std::string better_class;
  std::vector<std::string> notes;  // Of the last step, which says all that the others do.
  // Of the pass or step that takes most: the prompt's, or the last one over the longest cache.
  MemoryFit memory;

  PassEstimate request() const {
    PassEstimate sum = prefill.root();
    return sum += decode;
  }
};

Result<Generation> generate(const std::string& model, const ModelText& text,
                            const GenerateQuery& query, const LoadedPredictor& by,
                            const ShowProgress& progress);

}  // namespace wattree
