#include "src/runs/whatif/extrapolate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace wattree {
namespace {

TEST(Extrapolate, FitsTheLeastSquaresLine) {
  // By hand: y = 1, 3, 2 has the mean 2, slope ((-1)(-1) + (1)(0)) / 2.
  const Extrapolation line(std::vector<double>{1, 2, -1});
  EXPECT_DOUBLE_EQ(line.at(1).value - line.at(0).value, 0.5);
}

// The closed forms against the textbook's sums, on epochs that differ.
TEST(Extrapolate, SumsAreThoseOfLeastSquares) {
  const std::vector<double> epochs{5, 1, 3, 9, 2, 7, 7.5};
  const auto n = static_cast<double>(epochs.size());
  std::vector<double> points;
  for (const double epoch : epochs) points.push_back((points.empty() ? 0 : points.back()) + epoch);
  double mean = 0, products = 0, squares = 0, variance = 0;
  for (const double point : points) mean += point / n;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = static_cast<double>(i) - (n - 1) / 2;
    products += x * (points[i] - mean);
    squares += x * x;
    variance += (epochs[i] - points.back() / n) * (epochs[i] - points.back() / n) / (n - 1);
  }
  double weights = 0;  // Of each epoch in the slope: it is in every point from its own on.
  for (std::size_t k = 0; k < epochs.size(); ++k) {
    double weight = 0;
    for (std::size_t i = k; i < points.size(); ++i) {
      weight += (static_cast<double>(i) - (n - 1) / 2) / squares;
    }
    weights += weight * weight;
  }
  const Ahead ahead = Extrapolation(epochs).at(4);
  EXPECT_NEAR(ahead.value, points.back() + 4 * products / squares, 1e-12);
  EXPECT_NEAR(*ahead.high - ahead.value,
              student_t_975(epochs.size() - 1) * std::sqrt(variance * (4 + 16 * weights)), 1e-12);
}

// EnergyVis's sample profile: six epochs of 0.1 kWh at PUE 1.59 and 0.6484905 lb/kWh.
TEST(Extrapolate, GoldenOfEnergyVis) {
  const double epoch = 0.1 * 1.59 * 0.6484905;
  const std::vector<double> epochs(6, epoch);
  std::vector<double> points;
  for (int i = 1; i <= 6; ++i) points.push_back(i * epoch);
  EXPECT_NEAR(points.front(), 0.10311, 5e-6);
  EXPECT_NEAR(points.back(), 0.61866, 5e-6);
  EXPECT_NEAR(Extrapolation(epochs).at(1).value - points.back(), 0.10311, 5e-6);  // The slope.
  const Ahead at_15 = Extrapolation(epochs).at(10);  // x = 15 is ten after x = 5.
  EXPECT_NEAR(at_15.value, 1.64976, 5e-6);
  EXPECT_NEAR(*at_15.low, at_15.value, 1e-12);  // No spread, no width.
  EXPECT_NEAR(*at_15.high, at_15.value, 1e-12);
}

TEST(Extrapolate, StartsAtTheLastPoint) {
  const std::vector<double> epochs{5, 1, 3, 9, 2};
  EXPECT_DOUBLE_EQ(Extrapolation(epochs).at(0).value, 20);
  EXPECT_DOUBLE_EQ(*Extrapolation(epochs).at(0).low, 20);
  EXPECT_DOUBLE_EQ(*Extrapolation(epochs).at(0).high, 20);
  // Cumulative 5, 6, 9, 18, 20: slope (-2*5 - 6 + 18 + 2*20) / 10 = 4.2.
  EXPECT_DOUBLE_EQ(Extrapolation(epochs).at(1).value, 24.2);
}

TEST(Extrapolate, OneEpochHasNoSpread) {
  const Ahead ahead = Extrapolation(std::vector<double>{7}).at(3);
  EXPECT_DOUBLE_EQ(ahead.value, 28);
  EXPECT_FALSE(ahead.low);
}

TEST(Extrapolate, NeverBelowWhatIsUsed) {
  const std::vector<double> epochs{100, 0, 0, 0};
  EXPECT_GE(*Extrapolation(epochs).at(2).low, 100);
}

TEST(Extrapolate, QuantilesOfStudent) {
  // Any table of the distribution.
  EXPECT_NEAR(student_t_975(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_975(5), 2.571, 1e-3);
  EXPECT_NEAR(student_t_975(40), 2.021, 1e-3);
  EXPECT_NEAR(student_t_975(60), 2.000, 1e-3);
  EXPECT_NEAR(student_t_975(120), 1.980, 1e-3);
}

// 95 % of simulated runs end inside the interval.
TEST(Extrapolate, TheIntervalCoversWhatItSays) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(100, 5);
  for (const std::size_t n : {2u, 3u, 6u, 20u}) {
    for (const std::size_t ahead : {1u, 10u, 50u}) {
      int inside = 0;
      constexpr int kRuns = 4000;
      for (int run = 0; run < kRuns; ++run) {
        std::vector<double> epochs;
        for (std::size_t i = 0; i < n; ++i) epochs.push_back(noise(random));
        const Ahead interval = Extrapolation(epochs).at(ahead);
        double truth = 0;
        for (const double epoch : epochs) truth += epoch;
        for (std::size_t i = 0; i < ahead; ++i) truth += noise(random);
        inside += truth >= *interval.low && truth <= *interval.high ? 1 : 0;
      }
      EXPECT_NEAR(inside / double{kRuns}, 0.95, 0.02) << n << " epochs, " << ahead << " ahead";
    }
  }
}

}  // namespace
}  // namespace wattree
