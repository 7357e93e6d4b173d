// From windows of single kernels to a predictor of the machine they were measured on, and how far
// it can be trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/units.h"
#include "src/measure/windows/read_windows.h"
#include "src/models/families/build_model.h"
#include "src/predict/fit/calibration_kernels.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

// How well kernels that were held out are predicted, from a share of the measurements.
struct LearningPoint {
  std::size_t kernels = 0;
  double energy_percent = 0;  // Median of the errors.
  double time_percent = 0;
};

// A whole pass that was measured and not fitted to, and what the predictor says of it.
struct PassCheck {
  std::string model;  // "bert-base-uncased, bf16, 16 × 128"
  Joules measured_energy, predicted_energy;
  Seconds measured_time, predicted_time;
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

struct Calibration {
  Predictor predictor;
  std::vector<CalibratedPrecision> precisions;
  std::optional<PassCheck> anchor;
  double shortfall = 0;  // What intervals of wholes allow for what kernels leave out.
  std::vector<std::string> warnings;
};

// A pass that was measured beside the kernels.
struct AnchorPass {
  BuiltModel pass;
  Joules energy;
  Seconds time;
};

struct CalibrationOptions {
  std::string name;             // Of the predictor.
  std::string hardware;         // As people should read it; empty: the device's own name.
  bool accepts_others = false;  // Windows count although others used the machine.
};

// The anchor is checked where it is of a precision that was measured; what it is off by widens the
// intervals of models. kUnavailable where too few kernels were measured.
Result<Calibration> fit_calibration(std::vector<MeasuredSession> sessions,
                                    const CalibrationSets& sets, const CalibrationOptions& options,
                                    const std::optional<AnchorPass>& anchor);

}  // namespace wattree
