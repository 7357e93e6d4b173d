#include "src/predict/regress/standard_scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wattree {
namespace {

TEST(StandardScaler, UsesThePopulationDeviation) {
  const auto scaler = fit_standard_scaler(std::vector<double>{1, 2, 3, 4}, 1);
  ASSERT_TRUE(scaler.ok());
  EXPECT_DOUBLE_EQ(scaler.value().mean[0], 2.5);
  EXPECT_DOUBLE_EQ(scaler.value().scale[0], std::sqrt(1.25));  // (1.5² + 0.5² + 0.5² + 1.5²) / 4
}

TEST(StandardScaler, LeavesAConstantColumnAlone) {
  std::vector<double> rows;
  for (int i = 0; i < 1000; ++i) rows.insert(rows.end(), {0.1, static_cast<double>(i)});
  const auto scaler = fit_standard_scaler(rows, 2);
  ASSERT_TRUE(scaler.ok());
  // Summing a thousand times 0.1 gives 99.9999999999986: rounding must not become a deviation.
  EXPECT_EQ(scaler.value().scale[0], 1);
  EXPECT_NEAR(scaler.value().mean[0], 0.1, 1e-16);
  EXPECT_NEAR(scaler.value().scale[1], std::sqrt((1000.0 * 1000 - 1) / 12), 1e-9);
}

TEST(StandardScaler, KeepsASmallSpreadOfALargeMean) {
  const auto scaler = fit_standard_scaler(std::vector<double>{1e9 - 1, 1e9 + 1}, 1);
  ASSERT_TRUE(scaler.ok());
  EXPECT_DOUBLE_EQ(scaler.value().scale[0], 1);
  EXPECT_DOUBLE_EQ(scaler.value().mean[0], 1e9);
}

TEST(StandardScaler, StandardizesInPlace) {
  const StandardScaler scaler{{10, 1}, {2, 0.5}};
  std::vector<double> row{14, 0};
  standardize(scaler, row, row);
  EXPECT_EQ(row, (std::vector<double>{2, -2}));
}

TEST(StandardScaler, RefusesWhatHasNoMean) {
  EXPECT_FALSE(fit_standard_scaler({}, 3).ok());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, 1e300}) {
    const auto scaler = fit_standard_scaler(std::vector<double>{1, 2, 3, bad}, 2);
    ASSERT_FALSE(scaler.ok()) << bad;
    EXPECT_NE(scaler.error().message.find("column 2 of 2"), std::string::npos);
  }
}

}  // namespace
}  // namespace wattree
