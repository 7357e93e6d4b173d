// What would lower the energy of a pass: every other way to run it, as predicted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/predict/estimate/compare_models.h"
#include "src/predict/estimate/ratio.h"

namespace wattree {

enum class SuggestionKind : std::uint8_t {
  kPrecision,
  kAttention,  // The implementation of attention.
  kExecution,  // A graph of kernels, or one launch after the other.
  kBatch,      // More items at a time.
  kLength,     // A shorter bucket, or a length that kernels like better.
  kModel,      // A smaller model of the family.
  kDevice,
};
std::string_view name_of(SuggestionKind kind);

struct Suggestion {
  SuggestionKind kind = SuggestionKind::kPrecision;
  std::string what;  // "bf16 instead of fp32"
  // Fields of the request, and what they are to be: applying it is asking again with them.
  std::vector<std::pair<std::string, std::string>> change;
  PassEstimate estimate;  // Of the other pass.
  Joules per_item;
  EnergyRatio ratio;  // Of the energies of one item.
  MemoryFit memory;
  Provenance provenance;
  std::string caveat;
  std::string sentence() const;
};

struct SuggestQuery {
  NamedModel model;
  PassShape pass;
  LoadedPredictor by;
  std::vector<NamedModel> others;       // Models to look for siblings among.
  std::vector<NamedPredictor> devices;  // Predictors of other devices.
};

struct Suggestions {
  Prediction now;
  std::vector<Suggestion> savings;        // Largest saving first.
  std::vector<SuggestionKind> no_saving;  // Tried, and nothing of the kind saves energy.
};

// Everything is computed by the predictor. What does not fit into the device's memory, or cannot be
// predicted, is left out.
Result<Suggestions> suggest(const SuggestQuery& query);

// "38 % less energy (34 to 42 %)"; it says so where the interval includes no saving.
std::string saving_phrase(const EnergyRatio& ratio);

}  // namespace wattree
