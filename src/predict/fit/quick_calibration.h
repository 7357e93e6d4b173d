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

// What this program read on an H200, as if on the middle one of the cards that the shipped
// predictor was fitted to. The predictor is off on these two, as on any single pass or kernel; that
// much is not the card's and is not put down to it.
inline constexpr QuickReading kAnchorOnH200{Joules(0.735), Seconds(1.18e-3)};
inline constexpr QuickReading kStreamOnH200{Joules(0.1165), Seconds(183.4e-6)};

struct QuickReadings {
  QuickReading anchor;  // Of `anchor_pass`,
  QuickReading stream;  // and of stream_kernel().
  // On a shared host launching takes now more and now less, within seconds: means count.
  // Passes that Python launched, all at the same moments. Empty: not measured; then what this
  // program takes to launch one of the kernels of a pass says how quick the host is.
  struct Launched {
    std::string what;
    const ModelTree* tree = nullptr;
    std::vector<Seconds> times;
  };
  std::vector<Launched> python;
  std::vector<Seconds> launches;
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
