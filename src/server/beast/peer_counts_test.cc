#include "src/server/beast/peer_counts.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(PeerCounts, BoundsEachPeerAndAllOfThem) {
  PeerCounts counts(5, 2);
  EXPECT_TRUE(counts.add("a"));
  EXPECT_TRUE(counts.add("a"));
  EXPECT_FALSE(counts.add("a"));
  EXPECT_TRUE(counts.add("b"));
  EXPECT_TRUE(counts.add(""));  // From here: of these there may be more than two,
  EXPECT_TRUE(counts.add(""));
  EXPECT_FALSE(counts.add(""));  // but not more than five connections in all.
  EXPECT_EQ(counts.all(), 5U);
  counts.remove("");
  EXPECT_FALSE(counts.add("a"));
  counts.remove("a");
  EXPECT_TRUE(counts.add("a"));
}

TEST(PeerCounts, WaitsForTheLastOne) {
  PeerCounts counts(2, 2);
  counts.wait_for_none(std::chrono::hours(1));
  EXPECT_TRUE(counts.add("a"));
  counts.wait_for_none(std::chrono::milliseconds(1));
  EXPECT_EQ(counts.all(), 1U);
}

}  // namespace
}  // namespace wattree
