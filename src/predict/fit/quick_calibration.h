// From a minute of measurements to the factors of an overlay: how this card and this host differ
// from what a predictor says of them.
#pragma once

#include <optional>
#include <string>

#include "src/base/units.h"
#include "src/models/families/build_model.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/predict/predictor/overlay.h"

namespace wattree {

// A kernel that does nothing but read and write: a node of a tree that can be run.
struct StreamKernel {
  ModelTree tree;
  std::int32_t node = 0;
};
// The largest addition of the calibration's kernels: far beyond any cache.
Result<StreamKernel> stream_kernel();

// A pass or kernel as it was measured.
struct QuickReading {
  Joules energy;
  Seconds time;
};

struct QuickReadings {
  QuickReading anchor;  // Of `anchor_pass`,
  QuickReading stream;  // and of stream_kernel().
  // The host's time to launch one of the kernels of a pass, one by one; absent: not measured.
  std::optional<Seconds> launch;
  std::optional<Watts> idle;
};

// Fails with kUnavailable where the predictor has no prices for the anchor. Warnings say what was
// not measured, and what no machine of that kind has.
struct QuickFactors {
  MachineOverlay overlay;  // Without names and date.
  std::vector<std::string> warnings;
};
Result<QuickFactors> quick_factors(const Predictor& predictor, const BuiltModel& anchor_pass,
                                   const StreamKernel& stream, const QuickReadings& readings);

}  // namespace wattree
