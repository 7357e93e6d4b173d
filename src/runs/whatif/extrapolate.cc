#include "src/runs/whatif/extrapolate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace wattree {
namespace {

// The middle of x = 0 … n-1, and the sum of squares around it.
struct Axis {
  double mean;
  double squares;
};
Axis axis(std::size_t n) {
  const auto count = static_cast<double>(n);
  return {(count - 1) / 2, count * (count * count - 1) / 12};
}

std::vector<double> cumulated(std::span<const double> epochs) {
  std::vector<double> out;
  double sum = 0;
  for (const double epoch : epochs) out.push_back(sum += epoch);
  return out;
}

// The sum of the squares of the weights that the slope gives to each epoch: the one at k is in
// every point from k on, so its weight is the sum of (x_i - mean)/squares over i >= k.
double squared_weights(std::size_t n) {
  const Axis x = axis(n);
  double weight = 0;
  double sum = 0;
  for (std::size_t k = n; k-- > 0;) {
    weight += (static_cast<double>(k) - x.mean) / x.squares;
    sum += weight * weight;
  }
  return sum;
}

}  // namespace

Line fit_line(std::span<const double> y) {
  if (y.empty()) return {};
  if (y.size() == 1) return {y[0], y[0]};
  const Axis x = axis(y.size());
  double mean = 0;
  for (const double value : y) mean += value / static_cast<double>(y.size());
  double products = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    products += (static_cast<double>(i) - x.mean) * (y[i] - mean);
  }
  const double slope = products / x.squares;
  return {slope, mean - slope * x.mean};
}

Extrapolation::Extrapolation(std::span<const double> epochs) {
  if (epochs.empty()) return;
  const std::vector<double> points = cumulated(epochs);
  last_ = points.back();
  slope_ = fit_line(points).slope;
  if (epochs.size() < 2) return;
  const auto n = static_cast<double>(epochs.size());
  const double mean = last_ / n;
  for (const double epoch : epochs) variance_ += (epoch - mean) * (epoch - mean) / (n - 1);
  squared_weights_ = squared_weights(epochs.size());
  quantile_ = student_t_975(epochs.size() - 1);
}

Ahead Extrapolation::at(std::size_t ahead) const {
  const auto h = static_cast<double>(ahead);
  Ahead out{last_ + h * slope_, std::nullopt, std::nullopt};
  if (quantile_ == 0) return out;
  const double half = quantile_ * std::sqrt(variance_ * (h + h * h * squared_weights_));
  // What is used up stays used up.
  out.low = std::max(last_, out.value - half);
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
