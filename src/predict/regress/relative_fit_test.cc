#include "src/predict/regress/relative_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

TEST(SolveNonNegative, IsTheFreeSolutionWhereThatIsPositive) {
  // x + y/2 = 2, x/2 + y = 2.5  =>  x = 1, y = 2
  const std::vector<double> c =
      solve_non_negative(std::vector{1.0, 0.5, 0.5, 1.0}, std::vector{2.0, 2.5});
  EXPECT_NEAR(c[0], 1.0, 1e-9);
  EXPECT_NEAR(c[1], 2.0, 1e-9);
}

TEST(SolveNonNegative, HoldsAtZeroWhatWouldBeNegative) {
  // Free: x = 2.667, y = -1.333. With y = 0: x = 2.
  const std::vector<double> c =
      solve_non_negative(std::vector{1.0, 0.5, 0.5, 1.0}, std::vector{2.0, 0.0});
  EXPECT_NEAR(c[0], 2.0, 1e-9);
  EXPECT_EQ(c[1], 0.0);
}

TEST(SolveNonNegative, SharesAnEffectOfTwoEqualColumnsWithoutBlowingUp) {
  const std::vector<double> c =
      solve_non_negative(std::vector{1.0, 1.0, 1.0, 1.0}, std::vector{3.0, 3.0});
  EXPECT_NEAR(c[0] + c[1], 3.0, 1e-6);
  EXPECT_GE(c[0], 0.0);
  EXPECT_GE(c[1], 0.0);
}

Rows rows_of(const std::vector<std::vector<double>>& values) {
  Rows rows(values.front().size());
  for (const auto& row : values) rows.add(row);
  return rows;
}

TEST(FitRelative, FindsTheCoefficientsOfExactData) {
  // y = 2 + 3x over five orders of magnitude
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  for (int i = 0; i < 20; ++i) {
    const double value = std::pow(10.0, -2 + i * 0.25);
    x.push_back({1.0, value});
    y.push_back(2 + 3 * value);
  }
  const std::vector<double> c = fit_relative(rows_of(x), y, y);
  EXPECT_NEAR(c[0], 2.0, 1e-6);
  EXPECT_NEAR(c[1], 3.0, 1e-6);
}

TEST(FitRelative, IsNotPulledByAFewOddMeasurements) {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  for (int i = 1; i <= 30; ++i) {
    x.push_back({static_cast<double>(i)});
    y.push_back(i % 10 == 0 ? 100.0 * i : 5.0 * i);
  }
  EXPECT_NEAR(fit_relative(rows_of(x), y, y)[0], 5.0, 0.05);
}

TEST(FitRelative, CountsSmallAndLargeAlike) {
  // One coefficient cannot serve both: the median of the ratios 1, 1, 2 is 1, whatever their sizes.
  const Rows x = rows_of({{1.0}, {1000.0}, {1e6}});
  const std::vector<double> y = {2.0, 1000.0, 1e6};
  EXPECT_NEAR(fit_relative(x, y, y)[0], 1.0, 0.02);
}

TEST(FitRelative, GivesZeroToAColumnThatIsNeverThere) {
  const std::vector<double> y = {2.0, 4.0};
  const std::vector<double> c = fit_relative(rows_of({{1.0, 0.0}, {2.0, 0.0}}), y, y);
  EXPECT_NEAR(c[0], 2.0, 1e-9);
  EXPECT_EQ(c[1], 0.0);
}

TEST(FitRelative, OfColumnsThatSayTheSameTakesTheFirst) {
  // The third is the second times 1/3, with its rounding: what they explain belongs to the second.
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  for (int i = 1; i < 20; ++i) {
    const double value = 1.1 * i * i;
    x.push_back({1.0, value, value / 3});
    y.push_back(5 + 2 * value);
  }
  const std::vector<double> c = fit_relative(rows_of(x), y, y);
  EXPECT_NEAR(c[1], 2.0, 1e-6);
  EXPECT_NEAR(c[2], 0.0, 1e-6);
}

TEST(FitRelative, GivesTheSameBitsEveryTime) {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  for (int i = 1; i < 50; ++i) {
    x.push_back({1.0, i * 0.7, i * i * 0.01});
    y.push_back(1 + i * 0.3 + (i % 7) * 0.01);
  }
  EXPECT_EQ(fit_relative(rows_of(x), y, y), fit_relative(rows_of(x), y, y));
}

}  // namespace
}  // namespace wattree
