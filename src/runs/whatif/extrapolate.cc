#include "src/runs/whatif/extrapolate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wattree {

Extrapolation::Extrapolation(std::span<const double> epochs) {
  for (const double epoch : epochs) add(epoch);
}

void Extrapolation::add(double epoch) {
  const auto k = static_cast<double>(count_);
  ++count_;
  sum_ += epoch;
  moment_ += k * epoch;
  second_moment_ += k * k * epoch;
  const double before = epoch - mean_;
  mean_ += before / (k + 1);
  squares_ += before * (epoch - mean_);
}

double Extrapolation::slope() const {
  if (count_ < 2) return sum_;
  const auto n = static_cast<double>(count_);
  return 6 * (n * moment_ - second_moment_) / (n * (n * n - 1));
}

Ahead Extrapolation::at(std::size_t ahead) const {
  const auto h = static_cast<double>(ahead);
  Ahead out{sum_ + h * slope(), std::nullopt, std::nullopt};
  if (count_ < 2) return out;
  const auto n = static_cast<double>(count_);
  const double variance = squares_ / (n - 1);
  const double squared_weights = 6 * (n * n + 1) / (5 * n * (n * n - 1));
  const double half =
      student_t_975(count_ - 1) * std::sqrt(variance * (h + h * h * squared_weights));
  // What is used up stays used up.
  out.low = std::max(sum_, out.value - half);
  out.high = out.value + half;
  return out;
}

double student_t_975(std::size_t degrees_of_freedom) {
  constexpr std::array<double, 30> kTable{
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees_of_freedom == 0) return kTable[0];
  if (degrees_of_freedom <= kTable.size()) return kTable[degrees_of_freedom - 1];
  // Beyond, the first terms of its expansion around the normal distribution's quantile.
  constexpr double z = 1.959964;
  const auto v = static_cast<double>(degrees_of_freedom);
  return z + (z * z * z + z) / (4 * v) +
         (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * v * v);
}

}  // namespace wattree
