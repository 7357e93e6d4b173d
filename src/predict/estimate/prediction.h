// A model's pass, and what a predictor says of every node of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/models/families/build_model.h"
#include "src/models/tree/memory.h"
#include "src/predict/estimate/pass_estimate.h"
#include "src/predict/predictor/loaded_predictor.h"

namespace wattree {

// The memory that something takes of one device, and how much the device has.
struct MemoryFit {
  PassMemory need;
  std::optional<std::int64_t> device_bytes;  // Absent: nobody knows.
  // True also where nobody knows what the device has.
  bool fits() const { return !device_bytes || need.peak() <= *device_bytes; }
};

struct Prediction {
  BuiltModel built;
  std::vector<NodeEstimate> nodes;  // One for each of the tree's, in its order.
  LoadedPredictor by;
  MemoryFit memory;
  // What the user should know of this model on that device, as sentences.
  std::vector<std::string> notes = {};

  PassEstimate root() const { return estimate_of(nodes.back()); }
  bool has_times() const {
    return nodes.back().time > Seconds();
  }  // Not every predictor knows them.
};

// Fails with kInvalidInput where the predictor does not cover the precision, and with kUnavailable
// where it does not cover a kernel.
Result<Prediction> predict(BuiltModel answer, const LoadedPredictor& by);

// What is known of a model, and then what its prediction adds.
std::vector<std::string> with_notes(std::vector<std::string> notes, const Prediction& prediction);

// Tokens of one item of a batch, source and target together; nothing where the source is no text.
std::optional<std::int64_t> tokens_per_item(const BuiltModel& answer);

}  // namespace wattree
