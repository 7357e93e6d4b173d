// Where a curve goes when the run goes on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace wattree {

// Least squares of y over x = 0, 1, 2, …; of one point, the line from the origin of epochs (x = -1,
// y = 0) through it.
struct Line {
  double slope = 0;
  double intercept = 0;
};
Line fit_line(std::span<const double> y);

struct Ahead {
  double value = 0;
  std::optional<double> low, high;  // Absent where one epoch alone tells nothing about the spread.
};

// Continues the cumulative sum of `epochs`, which are the epochs' own figures. The slope is the
// least-squares line's of the cumulative series; it starts at the last point.
//
// Interval: 95 %, if epochs differ by independent noise around one level. With e the epochs, s
// their standard deviation, and b = sum of w_k e_k the slope (w follows from the least-squares
// formula): the error of the sum of h further epochs has the variance s² (h + h² sum of w_k²), and
// Student's t with n - 1 degrees of freedom makes it an interval. A trend, such as a slow first
// epoch, is not covered.
class Extrapolation {
 public:
  explicit Extrapolation(std::span<const double> epochs);
  // So many epochs after the last one.
  Ahead at(std::size_t ahead) const;

 private:
  double last_ = 0;
  double slope_ = 0;
  double variance_ = 0;         // s²
  double squared_weights_ = 0;  // Sum of w_k².
  double quantile_ = 0;         // 0: there is no interval.
};

// The 97.5 % quantile of Student's t distribution.
double student_t_975(std::size_t degrees_of_freedom);

}  // namespace wattree
