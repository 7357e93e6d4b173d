#include "src/base/random.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Random, IsSplitMix64) {
  // The reference sequence of the generator for this seed.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(Random, SpreadsEvenly) {
  Random random(7);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = random.uniform(-2, 4);
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 4);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 1, 0.07);  // Four times sqrt(6² / 12 / 10000).
}

}  // namespace
}  // namespace wattree
