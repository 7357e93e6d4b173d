#include "src/server/beast/peer_counts.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(PeerCounts, BoundsEachPeerAndAllOfThem) {
  PeerCounts counts(5, 2);
  EXPECT_EQ(counts.add("a"), Admission::kAdmitted);
  EXPECT_EQ(counts.add("a"), Admission::kAdmitted);
  EXPECT_EQ(counts.add("a"), Admission::kTooManyOfPeer);
  EXPECT_EQ(counts.add("b"), Admission::kAdmitted);
  EXPECT_EQ(counts.add(""), Admission::kAdmitted);  // From here: of these there may be more,
  EXPECT_EQ(counts.add(""), Admission::kAdmitted);
  EXPECT_EQ(counts.add(""), Admission::kTooMany);  // but not more than five connections in all.
  counts.remove("");
  EXPECT_EQ(counts.add("a"), Admission::kTooManyOfPeer);
  counts.remove("a");
  EXPECT_EQ(counts.add("a"), Admission::kAdmitted);
}

TEST(PeerCounts, WaitsForTheLastOne) {
  PeerCounts counts(1, 1);
  counts.wait_for_none(std::chrono::hours(1));
  EXPECT_EQ(counts.add("a"), Admission::kAdmitted);
  counts.wait_for_none(std::chrono::milliseconds(1));
  EXPECT_EQ(counts.add("b"), Admission::kTooMany);
}

}  // namespace
}  // namespace wattree
