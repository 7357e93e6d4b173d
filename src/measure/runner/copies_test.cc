#include "src/measure/runner/copies.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(Copies, TakeTwentyMillisecondsAndWholeTurns) {
  EXPECT_EQ(count_copies(1e-3, 1), 20);
  EXPECT_EQ(count_copies(1e-3, 8), 24);
  EXPECT_EQ(count_copies(1, 1), 1);
  EXPECT_EQ(count_copies(0, 1), kMaxCopies);
}

TEST(Copies, OfASmallNodeAreAtLeast32) {
  EXPECT_EQ(count_copies(99e-6, 1), 203);
  EXPECT_GE(count_copies(1e-6, 3), kSmallCopies);
}

// A LayerNorm of 64 MB with 16 kB of weights: 512 sets would be 21 s of 42 ms runs.
TEST(Copies, AreFewerThanSetsWhereThoseTakeTooLong) {
  EXPECT_EQ(count_copies(0.042, 512), 23);
  EXPECT_EQ(count_copies(1, 2), 1);
  EXPECT_EQ(count_copies(30, 1), 1);
  EXPECT_EQ(count_copies(30e-6, 512), 1024);
}

}  // namespace
}  // namespace wattree
