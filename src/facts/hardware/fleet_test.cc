#include "src/facts/hardware/fleet.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

Result<Fleet> parse(const std::string& text) { return parse_fleet(text, bundled_devices()); }

TEST(Fleet, ReadsCountsAndNames) {
  EXPECT_EQ(to_string(parse("4xT4").value()), "4 × T4");
  EXPECT_EQ(to_string(parse("4 × Tesla T4, Intel i7 2600K").value()),
            "4 × T4, 1 × Intel Core i7-2600K");
  EXPECT_EQ(to_string(parse("2 X h200").value()), "2 × H200 SXM 141GB");
}

TEST(Fleet, RefusesNoneAndUnknown) {
  for (const char* bad : {"", "4x", "T4,", "0xT4", "-1xT4", "99999999999xT4", "3xGTX 9999"}) {
    EXPECT_FALSE(parse(bad).ok()) << bad;
  }
  EXPECT_FALSE(work_cost({}).ok());
}

TEST(Fleet, SharedEqually) {
  // By hand: T4 70 W / 8100, 1080 Ti 250 W / 11340.
  const WorkCost cost = work_cost(parse("3xT4,GTX 1080 Ti").value()).value();
  EXPECT_DOUBLE_EQ(cost.joules_per_gflop, (3 * 70.0 / 8100 + 250.0 / 11340) / 4);
  EXPECT_DOUBLE_EQ(cost.seconds_per_gflop, 1 / (4 * 8100.0));
}

TEST(Fleet, MoreOfTheSameCostsTheSameEnergyInLessTime) {
  const WorkCost one = work_cost(parse("1xT4").value()).value();
  const WorkCost four = work_cost(parse("4xT4").value()).value();
  EXPECT_DOUBLE_EQ(four.joules_per_gflop, one.joules_per_gflop);
  EXPECT_DOUBLE_EQ(four.seconds_per_gflop, one.seconds_per_gflop / 4);
}

TEST(Fleet, MissingFiguresAreNamed) {
  EXPECT_EQ(work_cost(parse("TPU v5e").value()).error().message,
            "the table has no TDP for TPU v5e (chip)");
  EXPECT_EQ(work_cost(parse("TPU v4").value()).error().message,
            "the table has no FP32 rate for TPU v4 (chip)");
}

}  // namespace
}  // namespace wattree
