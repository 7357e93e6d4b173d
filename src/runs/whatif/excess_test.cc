#include "src/runs/whatif/excess.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/runs/whatif/thin.h"

namespace wattree {
namespace {

std::vector<EpochAmount> epochs(std::initializer_list<double> energies) {
  std::vector<EpochAmount> out;
  for (const double energy : energies) out.push_back({Joules(energy), Seconds(10), false});
  return out;
}

TEST(Excess, FlagsWhatIsAboveTheMedianAndThreeRobustDeviations) {
  const auto flagged = flag_excess(epochs({96, 98, 100, 102, 104, 160, 100}));
  // By hand: distances 4 2 0 2 4 60 0: median 2, deviation 2.9652, threshold 108.8956.
  ASSERT_EQ(flagged.size(), 1u);
  EXPECT_EQ(flagged[0].index, 5u);
  EXPECT_DOUBLE_EQ(flagged[0].median.value, 100);
  EXPECT_NEAR(flagged[0].threshold.value, 108.8956, 1e-9);
  EXPECT_EQ(flagged[0].reason,
            "it took 1.6 times the median epoch's energy: its power was 1.6 times as high");
}

TEST(Excess, SaysWhetherItWasLonger) {
  auto all = epochs({100, 100, 100, 100, 100, 150});
  all[5].duration = Seconds(15);
  const auto flagged = flag_excess(all);
  ASSERT_EQ(flagged.size(), 1u);
  EXPECT_DOUBLE_EQ(flagged[0].threshold.value, 103);  // The least deviation is 1 %.
  EXPECT_NE(flagged[0].reason.find("it lasted 1.5 times as long"), std::string::npos);
  all[5].has_startup = true;
  EXPECT_NE(flag_excess(all)[0].reason.find("start-up"), std::string::npos);
}

TEST(Excess, FewOrEmptyEpochsHaveNoFlags) {
  EXPECT_TRUE(flag_excess(epochs({1, 1, 1, 9})).empty());
  EXPECT_TRUE(flag_excess(epochs({0, 0, 0, 0, 9})).empty());
  EXPECT_TRUE(flag_excess({}).empty());
}

TEST(Thinned, KeepsEndsLowestAndHighest) {
  std::vector<double> values(1000, 1.0);
  values[313] = 9;
  values[717] = -5;
  const std::vector<std::size_t> kept = thinned(values, 20);
  EXPECT_LE(kept.size(), 20u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 999u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
  EXPECT_NE(std::find(kept.begin(), kept.end(), 313u), kept.end());
  EXPECT_NE(std::find(kept.begin(), kept.end(), 717u), kept.end());
}

TEST(Thinned, LeavesFewAsTheyAre) {
  EXPECT_EQ(thinned(std::vector<double>{3, 1, 2}, 4), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(thinned({}, 10).empty());
  for (std::size_t size = 1; size < 40; ++size) {
    const std::vector<std::size_t> kept = thinned(std::vector<double>(size, 1.0), 7);
    EXPECT_LE(kept.size(), std::max<std::size_t>(size <= 7 ? size : 7, 1));
    EXPECT_EQ(kept.back(), size - 1);
  }
}

}  // namespace
}  // namespace wattree
