// Linear fits that care about relative error: a microjoule leaf and a fifty-joule model count
// alike.
#pragma once

#include <span>
#include <vector>

namespace wattree {

// Rows of a regression, all of the same width, row by row in one block.
class Rows {
 public:
  explicit Rows(std::size_t columns) : columns_(columns) {}
  void add(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return columns_ == 0 ? 0 : values_.size() / columns_; }
  std::span<const double> operator[](std::size_t i) const {
    return std::span(values_).subspan(i * columns_, columns_);
  }

 private:
  std::size_t columns_;
  std::vector<double> values_;
};

// Coefficients c >= 0 that make sum_i |x_i c - y_i| / scale_i least: least absolute deviation,
// which a few odd measurements cannot pull away. Solved by reweighted least squares, each step a
// non-negative one (Lawson and Hanson) on the normal equations of scaled columns. A column that is
// zero everywhere gets 0. Same input, same bits.
//
// Every scale must be positive; `y` and `scale` are as long as `rows`.
std::vector<double> fit_relative(const Rows& rows, std::span<const double> y,
                                 std::span<const double> scale);

// The c >= 0 that makes c'Gc/2 - b'c least, for a symmetric positive semidefinite G (row by row).
std::vector<double> solve_non_negative(std::span<const double> gram, std::span<const double> b);

}  // namespace wattree
