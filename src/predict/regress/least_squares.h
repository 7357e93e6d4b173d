// Linear models by ordinary least squares.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/base/result.h"

namespace wattree {

struct LinearModel {
  std::vector<double> weights;
  double intercept = 0;
  bool operator==(const LinearModel&) const = default;
};

double value_at(const LinearModel& model, std::span<const double> row);

enum class Intercept { kFitted, kNone };

struct LeastSquares {
  LinearModel model;
  std::size_t rank = 0;  // Of the columns, centred where the intercept is fitted.
};

// The model that minimises sum (w.x + b - y)^2. Where columns depend on each other, many do, and
// this is the one with the smallest |w|: directions whose singular value is at most
// epsilon * max(rows, columns) * the largest are left out, as in NumPy and scikit-learn.
//
// `rows` holds one row after the other, `columns` numbers each; a row for every target. To weigh a
// row by k, multiply row and target by sqrt(k) and use Intercept::kNone with a column of its own.
// Meant for some tens of columns: the cost grows with rows * columns^2 + columns^3. Same input,
// same bits. Fails where there is no row, where a number is not finite, and on overflow.
Result<LeastSquares> fit_least_squares(std::span<const double> rows, std::size_t columns,
                                       std::span<const double> targets,
                                       Intercept intercept = Intercept::kFitted);

}  // namespace wattree
