// Where a curve goes when the run goes on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace wattree {

struct Ahead {
  double value = 0;
  std::optional<double> low, high;  // Absent where one epoch alone tells nothing about the spread.
};

// Continues the cumulative sum of epochs, which are given by their own figures. The slope is that
// of the least-squares line through the cumulative series over x = 0, 1, 2, …; it starts at the
// last point. Of one epoch, the slope is the epoch itself.
//
// With e_k the epochs, k = 0 … n-1, the slope is the sum of w_k e_k, where the least-squares
// formula gives w_k = 6 k (n - k) / (n (n² - 1)). So a few sums are enough, and one more epoch
// costs the same however many there were.
//
// Interval: 95 %, if epochs differ by independent noise around one level. With s their standard
// deviation, the error of the sum of h further epochs has the variance s² (h + h² sum of w_k²), and
// Student's t with n - 1 degrees of freedom makes it an interval. A trend is not covered.
class Extrapolation {
 public:
  Extrapolation() = default;
  explicit Extrapolation(std::span<const double> epochs);
  void add(double epoch);
  std::size_t epochs() const { return count_; }
  double sum() const { return sum_; }
  // So many epochs after the last one.
  Ahead at(std::size_t ahead) const;

 private:
  double slope() const;

  std::size_t count_ = 0;
  double sum_ = 0;
  double moment_ = 0, second_moment_ = 0;  // Sums of k e_k and k² e_k.
  double mean_ = 0, squares_ = 0;          // Welford's: the sum of (e_k - mean)².
};

// The 97.5 % quantile of Student's t distribution.
double student_t_975(std::size_t degrees_of_freedom);

}  // namespace wattree
