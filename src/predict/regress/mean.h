// The mean of some numbers.
#pragma once

#include <numeric>
#include <vector>

namespace wattree {

// 0 of none.
inline double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace wattree
