#include "src/predict/predictor/mixture.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

Mixture equal_parts(std::size_t count, std::size_t times = 1) {
  Mixture out;
  for (std::size_t i = 0; i < count * times; ++i) out.add(i % count, 2.0, 0.2);
  return out;
}

double half_of(const Mixture& mixture, double whole) {
  const Mixture::Summary made_of = mixture.summary();
  return half_of_mixture(whole, made_of.halves, made_of.concentration);
}

TEST(Mixture, ConcentrationIsTheSumOfSquaredShares) {
  EXPECT_DOUBLE_EQ(equal_parts(1).summary().concentration, 1);
  EXPECT_DOUBLE_EQ(equal_parts(4).summary().concentration, 0.25);
  EXPECT_DOUBLE_EQ(equal_parts(4).summary().halves, 0.2);
  EXPECT_DOUBLE_EQ(equal_parts(4).summary().sum, 8);
}

TEST(Mixture, AKernelThatRepeatsIsOneKernel) {
  EXPECT_DOUBLE_EQ(half_of(equal_parts(1, 12), 0.05), 0.2);
  EXPECT_DOUBLE_EQ(half_of(equal_parts(3, 12), 0.05), half_of(equal_parts(3), 0.05));
}

TEST(Mixture, TheIntervalGoesFromAKernelsToAPasss) {
  double before = 0.2 + 1e-9;
  for (std::size_t parts = 1; parts <= 8; ++parts) {
    const double half = half_of(equal_parts(parts), 0.05);
    EXPECT_LE(half, before) << parts;
    EXPECT_GE(half, 0.05) << parts;
    before = half;
  }
  EXPECT_DOUBLE_EQ(before, 0.05);
}

TEST(Mixture, PartsAddUpInAnyOrder) {
  Mixture whole = equal_parts(2);
  whole.add(equal_parts(5));
  Mixture other = equal_parts(5);
  other.add(equal_parts(2));
  EXPECT_DOUBLE_EQ(whole.summary().concentration, other.summary().concentration);
  EXPECT_DOUBLE_EQ(whole.summary().concentration, (2 * 16.0 + 3 * 4.0) / (14 * 14));
}

}  // namespace
}  // namespace wattree
