// Cumulative distributions of errors as a picture (as Figure 3 of IrEne's paper).
#pragma once

#include <string>
#include <vector>

namespace wattree {

struct CdfCurve {
  std::string name;
  std::vector<double> errors;  // In percent; any order.
};

// An SVG element with at most three curves over a logarithmic axis of errors, and p50, p90 and p99
// of each marked. Empty where there is nothing to draw.
std::string cdf_chart(std::vector<CdfCurve> curves);

}  // namespace wattree
