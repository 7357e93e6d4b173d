// What of a chip shapes the terms of kernels, where it is not known by name.
#pragma once

#include <vector>

#include "src/measure/windows/read_windows.h"
#include "src/predict/predictor/work.h"

namespace wattree {

// What a window did, and how long it took.
struct MeasuredRate {
  double matmul_flops = 0;
  double bytes = 0;
  Seconds time;
  bool is_single = false;
};

// Rates that the largest products and streams came near to. They only shape terms, whose prices are
// fitted.
Chip chip_of(const MeasuredSession& session, const std::vector<MeasuredRate>& rates);

}  // namespace wattree
