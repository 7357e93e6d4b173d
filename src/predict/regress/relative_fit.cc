#include "src/predict/regress/relative_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace wattree {
namespace {

// Residuals below this weigh alike: measurements repeat to a few tenths of a percent.
constexpr double kSmallestResidual = 2e-3;
constexpr int kReweightings = 25;
constexpr double kSettled = 1e-6;  // Of coefficients of columns of size 1.

// Solves G x = b over the columns in `active`, by Cholesky with a ridge that only a singular matrix
// feels (its diagonal is about 1).
std::vector<double> solve_active(std::span<const double> gram, std::span<const double> b,
                                 const std::vector<std::size_t>& active) {
  const std::size_t n = b.size();
  const std::size_t m = active.size();
  std::vector<double> l(m * m);
  std::vector<double> x(m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram[active[i] * n + active[j]];
      if (i == j) sum += 1e-12 * (1.0 + sum);
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * m + k] * l[j * m + k];
      l[i * m + j] = i == j ? std::sqrt(std::max(sum, 1e-14)) : sum / l[j * m + j];
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    double sum = b[active[i]];
    for (std::size_t k = 0; k < i; ++k) sum -= l[i * m + k] * x[k];
    x[i] = sum / l[i * m + i];
  }
  for (std::size_t i = m; i-- > 0;) {
    double sum = x[i];
    for (std::size_t k = i + 1; k < m; ++k) sum -= l[k * m + i] * x[k];
    x[i] = sum / l[i * m + i];
  }
  return x;
}

}  // namespace

std::vector<double> solve_non_negative(std::span<const double> gram, std::span<const double> b) {
  const std::size_t n = b.size();
  std::vector<double> c(n, 0.0);
  std::vector<bool> is_active(n, false);
  // Each round lets the column in that helps most, then takes out those that would turn negative.
  // Lawson and Hanson's proof of an end needs exact arithmetic; the bound is for the other kind.
  for (std::size_t round = 0; round < 3 * n + 3; ++round) {
    std::size_t best = n;
    double best_gain = 1e-11;
    for (std::size_t j = 0; j < n; ++j) {
      if (is_active[j]) continue;
      double gain = b[j];
      for (std::size_t k = 0; k < n; ++k) gain -= gram[j * n + k] * c[k];
      // Of columns that are multiples of each other, and tie but for rounding, the first.
      if (gain > best_gain * (1 + 1e-6)) {
        best_gain = gain;
        best = j;
      }
    }
    if (best == n) break;
    is_active[best] = true;
    for (;;) {
      std::vector<std::size_t> active;
      for (std::size_t j = 0; j < n; ++j) {
        if (is_active[j]) active.push_back(j);
      }
      const std::vector<double> x = solve_active(gram, b, active);
      double step = 1.0;
      for (std::size_t i = 0; i < active.size(); ++i) {
        const double from = c[active[i]];
        if (x[i] <= 0.0 && from - x[i] > 0.0) step = std::min(step, from / (from - x[i]));
      }
      bool all_positive = true;
      for (std::size_t i = 0; i < active.size(); ++i) {
        double& value = c[active[i]];
        value += step * (x[i] - value);
        if (x[i] <= 0.0 && value <= 1e-14) {
          value = 0.0;
          is_active[active[i]] = false;
          all_positive = false;
        }
      }
      if (all_positive || step == 1.0) break;
    }
  }
  return c;
}

std::vector<double> fit_relative(const Rows& rows, std::span<const double> y,
                                 std::span<const double> scale) {
  const std::size_t n = rows.columns();
  const std::size_t count = rows.size();
  assert(y.size() == count && scale.size() == count && "one target and one scale a row");
  // Columns scaled to mean square 1, or the normal equations would mix flops with counts.
  std::vector<double> unit(n, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double value = rows[i][j] / scale[i];
      unit[j] += value * value;
    }
  }
  for (double& u : unit) u = u > 0.0 ? std::sqrt(u / static_cast<double>(count)) : 1.0;

  std::vector<double> a(count * n);
  std::vector<double> target(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i * n + j] = rows[i][j] / scale[i] / unit[j];
    target[i] = y[i] / scale[i];
  }
  std::vector<double> weight(count, 1.0);
  std::vector<double> c(n, 0.0);
  for (int step = 0; step < kReweightings; ++step) {
    std::vector<double> gram(n * n, 0.0);
    std::vector<double> b(n, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      total += weight[i];
      for (std::size_t j = 0; j < n; ++j) {
        const double wa = weight[i] * a[i * n + j];
        if (wa == 0.0) continue;  // Most kernels are of few kinds.
        b[j] += wa * target[i];
        for (std::size_t k = 0; k <= j; ++k) gram[j * n + k] += wa * a[i * n + k];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      b[j] /= total;
      for (std::size_t k = 0; k <= j; ++k) gram[k * n + j] = gram[j * n + k] /= total;
    }
    const std::vector<double> next = solve_non_negative(gram, b);
    double moved = 0.0;
    for (std::size_t j = 0; j < n; ++j) moved = std::max(moved, std::abs(next[j] - c[j]));
    c = next;
    if (moved < kSettled) break;
    for (std::size_t i = 0; i < count; ++i) {
      double residual = -target[i];
      for (std::size_t j = 0; j < n; ++j) residual += a[i * n + j] * c[j];
      weight[i] = 1.0 / std::max(std::abs(residual), kSmallestResidual);
    }
  }
  for (std::size_t j = 0; j < n; ++j) c[j] /= unit[j];
  return c;
}

}  // namespace wattree
