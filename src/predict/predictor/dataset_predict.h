// Predicts the trees of a dataset, by what is known of them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/predict/predictor/dataset_work.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

enum class Source : std::uint8_t {
  kRoofline,  // Coefficients times terms.
  kTwin,      // Looked up: the same kernel was measured.
  kStandIn,   // Coefficients of another kind.
  kReading,   // From what was read while the node itself ran.
  kSum,       // From its parts.
};

struct DatasetEstimate {
  Joules energy;
  Joules own;         // Energy less the children's.
  Seconds time;       // 0 where the predictor has no times.
  double spread = 0;  // Half of the 90 % interval, relative; 0 where it was not calibrated.
  Source source = Source::kSum;
};

struct PredictOptions {
  Known known = Known::kNothing;
  bool use_twins = true;
};

// One estimate per node, in order. `index` is that of the predictor's twins.
std::vector<DatasetEstimate> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                          const std::vector<std::string>& types,
                                          const WorkTree& tree, const PredictOptions& options);

}  // namespace wattree
