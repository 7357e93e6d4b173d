// One model at many sizes, and the mean over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/predict/predict.h"
#include "src/predict/estimate/sweep.h"

namespace wattree {

struct SweepRequest {
  ModelRef model;
  PassShape pass;                           // But for its batch and its length.
  std::vector<std::int64_t> batches = {1};  // Every one of them
  std::vector<std::optional<std::int64_t>> lengths = {std::nullopt};  // with every one of these.
  PredictorRef predictor;
  TreeView view;
  ExtrasRequest extras;  // Of the mean.
};
// `batch` and `seq` are numbers, lists of them, or texts: "8,16", "32:256:32".
Result<SweepRequest> sweep_request(const nlohmann::json& body);

struct SweepAnswer {
  Sweep sweep;
  std::size_t lengths = 1;  // Points of one batch, which follow each other.
  TreeView view;
  PredictionExtras extras;
  std::vector<std::string> notes;
};
Result<SweepAnswer> sweep(const SweepRequest& request, const Services& services,
                          const ShowProgress& progress);

// As a prediction, with `sizes` and `mean` instead of batch_size and seq_len.
std::string to_json(const SweepAnswer& answer, int indent = 2);
std::string to_csv(const SweepAnswer& answer);  // One row a size.

}  // namespace wattree
