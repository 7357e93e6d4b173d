// A predictor for a device that nobody has measured, from what its maker says of it.
#pragma once

#include <string>

#include "src/predict/predictor/predictor.h"

namespace wattree {

// Half of the 90 % interval of what is scaled by a datasheet, relative.
inline constexpr double kAssumedHalfWidth = 0.6;

// Figures of a datasheet.
struct Datasheet {
  std::string name;
  double half_gflops = 0;    // Dense, 16 bits.
  double single_gflops = 0;  // fp32
  double gb_per_s = 0;       // Of its memory.
  double tdp_w = 0;
  double cache_mib = 0;  // Of the last level; 0: not said.
};
Peak peak_of(const Datasheet& sheet);

// The prices of a measured device, each scaled by the figure that bounds its term: arithmetic by
// rates, traffic by the memory's, energy by time and design power. Launches stay as they are. The
// result is assumed, not predicted, and its intervals are wide.
Predictor scaled_by_datasheet(const Predictor& measured, const Datasheet& from,
                              const Datasheet& to);

}  // namespace wattree
