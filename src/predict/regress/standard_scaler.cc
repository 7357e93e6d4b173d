#include "src/predict/regress/standard_scaler.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <string>

namespace wattree {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(std::span<const double> rows, std::size_t columns, std::size_t column) {
  const std::size_t count = rows.size() / columns;
  const auto n = static_cast<double>(count);
  Moments out;
  for (std::size_t i = column; i < rows.size(); i += columns) out.mean += rows[i];
  out.mean /= n;
  // The second sum would be 0 but for the rounding of the mean; it takes that rounding out.
  double squares = 0;
  double rest = 0;
  for (std::size_t i = column; i < rows.size(); i += columns) {
    const double d = rows[i] - out.mean;
    squares += d * d;
    rest += d;
  }
  out.mean += rest / n;
  out.variance = squares / n - (rest / n) * (rest / n);
  return out;
}

}  // namespace

Result<StandardScaler> fit_standard_scaler(std::span<const double> rows, std::size_t columns) {
  assert(columns > 0 && rows.size() % columns == 0 && "rows must be whole");
  if (rows.empty()) {
    return Error{ErrorCode::kInvalidInput, "there is no row to take a mean of", ""};
  }
  const std::size_t count = rows.size() / columns;
  const auto n = static_cast<double>(count);
  StandardScaler out;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto [mean, variance] = moments_of(rows, columns, column);
    if (!std::isfinite(mean) || !std::isfinite(variance)) {
      return Error{ErrorCode::kInvalidInput,
                   "column " + std::to_string(column + 1) + " of " + std::to_string(columns) +
                       " holds a number that is not finite, or one too large to be squared",
                   ""};
    }
    const double rounding = n * mean * std::numeric_limits<double>::epsilon();
    const bool constant = variance <= rounding * rounding;
    out.mean.push_back(mean);
    out.scale.push_back(constant ? 1.0 : std::sqrt(variance));
  }
  return out;
}

void standardize(const StandardScaler& scaler, std::span<const double> row, std::span<double> out) {
  assert(row.size() == scaler.columns() && out.size() == row.size());
  for (std::size_t i = 0; i < row.size(); ++i) out[i] = (row[i] - scaler.mean[i]) / scaler.scale[i];
}

}  // namespace wattree
