#include "src/measure/protocol/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

constexpr Nanos kMs = kNanosPerMillisecond;

TEST(Ticks, AWindowLiesBetweenTicksAndWithinTheProgress) {
  Progress progress;
  progress.add(0, 0);
  progress.add(1000 * kMs, 500);  // A run is 2 ms.
  std::vector<Tick> ticks;
  for (int i = 0; i <= 12; ++i) {
    // 40 W: 4 J every 100 ms, seen at most 4 ms late.
    ticks.push_back({(100 * i - 2) * kMs, (100 * i + 2) * kMs, Joules(4.0 * i)});
  }
  const auto window = cut_window(ticks, progress, 250 * kMs);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->begun, 300 * kMs);
  EXPECT_EQ(window->ended, 1000 * kMs);
  EXPECT_EQ(window->ticks, 8);
  EXPECT_DOUBLE_EQ(window->energy->value, 28.0);
  EXPECT_DOUBLE_EQ(window->runs, 350.0);
  EXPECT_DOUBLE_EQ(window->run_energy()->value, 0.08);
  EXPECT_DOUBLE_EQ(window->run_time().value, 2e-3);
  EXPECT_NEAR(window->power()->value, 40.0, 1e-9);
  EXPECT_NEAR(window->relative_error, 0, 1e-9);
  EXPECT_NEAR(window->drift, 0, 1e-9);
  EXPECT_NEAR(window->tick_uncertainty.value, 2e-3 * std::sqrt(2.0), 1e-9);
}

TEST(Ticks, ThreeTicksAreNoWindow) {
  Progress progress;
  progress.add(0, 0);
  progress.add(1000 * kMs, 500);
  const std::vector<Tick> ticks{
      {0, 0, Joules()}, {100 * kMs, 100 * kMs, Joules(4)}, {200 * kMs, 200 * kMs, Joules(8)}};
  EXPECT_FALSE(cut_window(ticks, progress, 0));
}

TEST(Ticks, DriftIsTheSecondHalfOverTheFirst) {
  Progress progress;
  progress.add(0, 0);
  progress.add(400 * kMs, 4);
  // 1 J a run in the first half, 1.5 J in the second.
  const std::vector<Tick> ticks{{0, 0, Joules()},
                                {100 * kMs, 100 * kMs, Joules(1)},
                                {200 * kMs, 200 * kMs, Joules(2)},
                                {300 * kMs, 300 * kMs, Joules(3.5)},
                                {400 * kMs, 400 * kMs, Joules(5)}};
  EXPECT_NEAR(cut_window(ticks, progress, 0)->drift, 0.5, 1e-12);
}

// By hand: x 0 1 2 3, y 0 1 2 4. Means 1.5 and 1.75; Sxx 5, Sxy 6.5, slope 1.3; the residuals are
// 0.2, -0.1, -0.4, 0.3, their squares add up to 0.3; s^2 = 0.15; se = sqrt(0.15 / 5).
TEST(Ticks, SlopeErrorByHand) {
  const std::vector<double> x{0, 1, 2, 3};
  const std::vector<double> y{0, 1, 2, 4};
  EXPECT_NEAR(relative_slope_error(x, y), std::sqrt(0.03) / 1.3, 1e-12);
}

TEST(Ticks, WithoutAMeterAWindowIsTimeAlone) {
  Progress progress;
  for (int i = 0; i <= 10; ++i) progress.add(20 * i * kMs, 10.0 * i);
  const auto window = cut_timed_window(progress, 50 * kMs);
  ASSERT_TRUE(window);
  EXPECT_FALSE(window->energy);
  EXPECT_FALSE(window->run_energy());
  EXPECT_EQ(window->begun, 60 * kMs);
  EXPECT_DOUBLE_EQ(window->runs, 70);
  EXPECT_DOUBLE_EQ(window->run_time().value, 2e-3);
}

}  // namespace
}  // namespace wattree
