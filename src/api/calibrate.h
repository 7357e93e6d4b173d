// The calibrate use case: measures kernels on this machine, and fits a predictor to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/measure_model.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

struct CalibrateQuery {
  std::string name;      // Of the predictor.
  std::string hardware;  // As people should read it; empty: the device's own name.
  std::string dtypes;    // "bf16,fp32". Empty: these two on a GPU, fp32 on a processor.
  MeasureQuery measure;
};

// How well kernels that were held out are predicted, from a share of the measurements.
struct LearningPoint {
  std::size_t kernels = 0;
  double energy_percent = 0;  // Median of the errors.
  double time_percent = 0;
};

// A whole pass that was measured and not fitted to, and what the predictor says of it.
struct PassCheck {
  std::string model;  // "bert-base-uncased, bf16, 16 × 128"
  double measured_j = 0, measured_s = 0;
  double predicted_j = 0, predicted_s = 0;
};

// What is known of one precision.
struct CalibratedPrecision {
  std::string dtype;
  std::size_t kernels = 0;              // Measured,
  std::size_t candidates = 0;           // of these.
  std::vector<LearningPoint> learning;  // From few to all.
  double kernel_percent = 0;            // Half of the 90 % intervals of energy: of kernels,
  double model_percent = 0;             // and of models.
};

struct CalibrateAnswer {
  Predictor predictor;
  std::string json;  // The file.
  std::vector<CalibratedPrecision> precisions;
  std::optional<PassCheck> anchor;  // Where the session had one of a precision that was measured.
  double shortfall = 0;             // What intervals of wholes allow for what kernels leave out.
  std::size_t reused = 0;
  SessionResult session;
  std::vector<std::string> warnings;
};

// Precisions share the time, and the most telling kernels of each come first. What the file of
// windows has of others is fitted to as well. kUnavailable where the machine has no energy meter:
// nothing can be fitted to then.
Result<CalibrateAnswer> calibrate(const CalibrateQuery& query);

}  // namespace wattree
