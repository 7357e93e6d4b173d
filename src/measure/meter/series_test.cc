#include "src/measure/meter/series.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

Description counter(double resolution, std::uint64_t wrap = 0, double most = 0.0) {
  Description out;
  out.kind = Kind::kCounter;
  out.unit = Unit::kJoule;
  out.resolution = resolution;
  out.wrap = wrap;
  out.most_per_second = most;
  return out;
}

Reading at(Nanos ms, std::uint64_t count, double level = 0.0, Absence absence = Absence::kNone) {
  return {{count, level, absence}, ms * kNanosPerMillisecond, ms * kNanosPerMillisecond};
}

Reading level_at(Nanos ms, double level) { return at(ms, 0, level); }

constexpr Nanos kLongest = 300 * kNanosPerMillisecond;

TEST(CountBetween, Differences) {
  EXPECT_EQ(count_between(5, 9, 0, 0).counts, 4u);
  EXPECT_EQ(count_between(9, 9, 0, 0).counts, 0u);
  EXPECT_EQ(count_between(0, UINT64_MAX, 0, 0).counts, UINT64_MAX);
}

TEST(CountBetween, AWrapIsAddedUp) {
  // From 990 to the range of 1000 are 10, and then 5.
  EXPECT_EQ(count_between(990, 5, 1000, 100).counts, 15u);
  EXPECT_EQ(count_between(990, 5, 1000, 100).gap, Gap::kNone);
}

TEST(CountBetween, AFallThatNoWrapExplainsIsAReset) {
  EXPECT_EQ(count_between(500, 5, 1000, 100).gap, Gap::kReset);  // A wrap would make it 505.
  EXPECT_EQ(count_between(500, 5, 0, 0).gap, Gap::kReset);
  EXPECT_EQ(count_between(1500, 5, 1000, 100).gap, Gap::kReset);  // Beyond its own range.
}

TEST(CountBetween, AJumpIsNotEnergy) {
  EXPECT_EQ(count_between(0, 101, 0, 100).gap, Gap::kJump);
  EXPECT_EQ(count_between(0, 100, 0, 100).gap, Gap::kNone);
}

TEST(CountBetween, WithTimeForAWholeTurnNothingIsSure) {
  EXPECT_EQ(count_between(0, 10, 1000, 1000).gap, Gap::kUnsure);
}

TEST(Series, ACounterThatNobodyReadsGoesOnCounting) {
  Series series(counter(1e-3), kLongest);
  Point point;
  ASSERT_TRUE(series.add(at(0, 1000), point));
  EXPECT_FALSE(series.add(at(100, 0, 0.0, Absence::kUnreadable), point));
  EXPECT_EQ(series.absence(), Absence::kUnreadable);
  ASSERT_TRUE(series.add(at(60'000, 31'000), point));
  EXPECT_EQ(point.gap, Gap::kNone);
  EXPECT_DOUBLE_EQ(point.integral, 30.0);
  EXPECT_DOUBLE_EQ(point.covered_seconds, 60.0);
}

TEST(Series, CountsAddUpWithoutRounding) {
  Series series(counter(1e-3), kLongest);
  Point point;
  std::uint64_t count = 0;
  for (int i = 0; i <= 100'000; ++i) {
    series.add(at(100 * i, count), point);
    count += 7;
  }
  EXPECT_EQ(point.integral, 700'000 * 1e-3);
}

TEST(Series, LevelsAreIntegratedByTrapezoid) {
  Series series(Description{}, kLongest);
  Point point;
  series.add(level_at(0, 100.0), point);
  series.add(level_at(100, 200.0), point);
  series.add(level_at(300, 200.0), point);
  // 0.1 s at 150 W and 0.2 s at 200 W.
  EXPECT_DOUBLE_EQ(point.integral, 15.0 + 40.0);
}

TEST(Series, ALevelThatWasAbsentLeavesAGap) {
  Series series(Description{}, kLongest);
  Point point;
  series.add(level_at(0, 100.0), point);
  series.add(at(100, 0, 0.0, Absence::kLost), point);
  ASSERT_TRUE(series.add(level_at(200, 100.0), point));
  EXPECT_EQ(point.gap, Gap::kAbsent);
  EXPECT_DOUBLE_EQ(point.integral, 0.0);
  EXPECT_DOUBLE_EQ(point.covered_seconds, 0.0);
  series.add(level_at(300, 100.0), point);
  EXPECT_DOUBLE_EQ(point.integral, 10.0);
}

TEST(Series, ALevelIsNotBelievedOverALongPause) {
  Series series(Description{}, kLongest);
  Point point;
  series.add(level_at(0, 100.0), point);
  series.add(level_at(301, 100.0), point);
  EXPECT_EQ(point.gap, Gap::kLate);
  EXPECT_DOUBLE_EQ(point.integral, 0.0);
}

TEST(Series, ALevelThatIsNoNumberIsAbsent) {
  Series series(Description{}, kLongest);
  Point point;
  EXPECT_FALSE(series.add(level_at(0, std::nan("")), point));
  EXPECT_EQ(series.absence(), Absence::kUnreadable);
}

TEST(Series, ResetsAndJumpsLoseTheirIntervalAlone) {
  // 1 mJ counts, at most 1000 W, so at most 1000 W x (0.1 s + 0.25 s) = 350 J in 100 ms.
  Series series(counter(1e-3, 0, 1000.0), kLongest);
  Point point;
  series.add(at(0, 500'000), point);
  series.add(at(100, 510'000), point);  // 10 J
  series.add(at(200, 1'000), point);
  EXPECT_EQ(point.gap, Gap::kReset);
  series.add(at(300, 21'000), point);      // 20 J
  series.add(at(400, 90'021'000), point);  // 90 kJ in 0.1 s
  EXPECT_EQ(point.gap, Gap::kJump);
  series.add(at(500, 90'051'000), point);  // 30 J
  EXPECT_DOUBLE_EQ(point.integral, 60.0);
  EXPECT_NEAR(point.covered_seconds, 0.3, 1e-12);
}

// Two GPUs, a package that wraps, and gaps, by hand. Every reading is instantaneous.
//
// GPU 0 (counter, mJ):   0 ms 1 000 000; 100 ms 1 030 000; 200 ms no answer; 300 ms 1 090 000;
//                        400 ms 4 000 (the driver was reloaded); 500 ms 34 000.
//   30 J + 60 J (the counter went on while it did not answer) + gap + 30 J = 120 J in 0.4 s.
// GPU 1 (no counter, W): 0 ms 100; 100 ms 300; 200 ms lost; 300 ms 300; 400 ms 500; 1 s 500.
//   (100 + 300) / 2 x 0.1 = 20 J, gap of 0.2 s, (300 + 500) / 2 x 0.1 = 40 J, gap of 0.6 s
//   = 60 J in 0.2 s.
// Package (µJ, range 262 143 328 850): 0 ms 262 143 000 000; 100 ms 5 000 000 (wrapped);
//                                      200 ms 11 000 000.
//   328 850 µJ to the range + 5 000 000 µJ + 6 000 000 µJ = 11.328 850 J.
TEST(Series, ARecordingByHand) {
  Series gpu0(counter(1e-3, 0, 4000.0), kLongest);
  Point p0;
  gpu0.add(at(0, 1'000'000), p0);
  gpu0.add(at(100, 1'030'000), p0);
  gpu0.add(at(200, 0, 0.0, Absence::kUnreadable), p0);
  gpu0.add(at(300, 1'090'000), p0);
  gpu0.add(at(400, 4'000), p0);
  EXPECT_EQ(p0.gap, Gap::kReset);
  gpu0.add(at(500, 34'000), p0);
  EXPECT_EQ(p0.integral, 120.0);
  EXPECT_NEAR(p0.covered_seconds, 0.4, 1e-12);

  Series gpu1(Description{}, kLongest);
  Point p1;
  gpu1.add(level_at(0, 100.0), p1);
  gpu1.add(level_at(100, 300.0), p1);
  gpu1.add(at(200, 0, 0.0, Absence::kLost), p1);
  gpu1.add(level_at(300, 300.0), p1);
  EXPECT_EQ(p1.gap, Gap::kAbsent);
  gpu1.add(level_at(400, 500.0), p1);
  gpu1.add(level_at(1000, 500.0), p1);
  EXPECT_EQ(p1.gap, Gap::kLate);
  EXPECT_EQ(p1.integral, 60.0);
  EXPECT_NEAR(p1.covered_seconds, 0.2, 1e-12);

  Series package(counter(1e-6, 262'143'328'850, 2000.0), kLongest);
  Point p2;
  package.add(at(0, 262'143'000'000), p2);
  package.add(at(100, 5'000'000), p2);
  EXPECT_EQ(p2.gap, Gap::kNone);
  package.add(at(200, 11'000'000), p2);
  EXPECT_EQ(p2.integral, 11.328850);

  EXPECT_EQ(p0.integral + p1.integral + p2.integral, 191.328850);
}

}  // namespace
}  // namespace wattree
