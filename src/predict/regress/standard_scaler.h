// Columns brought to mean 0 and standard deviation 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/base/result.h"

namespace wattree {

struct StandardScaler {
  std::vector<double> mean;   // By column.
  std::vector<double> scale;  // Population standard deviation; 1 for a constant column.
  std::size_t columns() const { return mean.size(); }
  bool operator==(const StandardScaler&) const = default;
};

// `rows` holds one row after the other, `columns` numbers each. A column counts as constant when
// its spread is no more than the rounding of its mean, so that copies of 0.1 do not become noise of
// size 1. Fails where there is no row, where a number is not finite, and where squares overflow.
Result<StandardScaler> fit_standard_scaler(std::span<const double> rows, std::size_t columns);

// out = (row - mean) / scale. `out` may be `row`.
void standardize(const StandardScaler& scaler, std::span<const double> row, std::span<double> out);

}  // namespace wattree
