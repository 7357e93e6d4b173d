#include "src/measure/protocol/protocol.h"

#include <gtest/gtest.h>

#include "src/measure/protocol/simulated.h"

namespace wattree {
namespace {

struct Bench {
  explicit Bench(const SimulatedOptions& options = {})
      : machine(options),
        watch(machine.meters(), machine.component(), {}, machine.clock()),
        conduct(machine.conduct()) {
    machine.attach(watch);
    machine.pass(kNanosPerSecond, options.idle_w);
  }
  SimulatedMachine machine;
  Watch watch;
  Conduct conduct;
};

SimulatedLaunch load(Bench& bench, SimulatedWork work, int copies) {
  return {bench.machine, [work] { return work; }, copies};
}

TEST(Protocol, KnownPowerGivesKnownJoules) {
  Bench bench;
  SimulatedLaunch launch = load(bench, {2e-3, 300}, 10);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Measurement& m = *result.value();
  EXPECT_NEAR(m.run_energy()->value, 0.6, 0.006);
  EXPECT_NEAR(m.run_time().value, 2e-3, 2e-6);
  EXPECT_TRUE(m.is_settled);
  EXPECT_FALSE(m.is_capped);
  EXPECT_GE(m.window.duration().value, 0.5);
  EXPECT_LT(m.load.value, 1.2);
  EXPECT_DOUBLE_EQ(*m.resources.sm_clock_mhz, 1980);
  EXPECT_NEAR(m.resources.sampled_power->value, 300, 1e-9);
}

TEST(Protocol, TheStartIsLeftOut) {
  Bench bench;
  // Half the power for the first 0.2 s, as clocks rise.
  const Nanos begun = bench.machine.now;
  SimulatedLaunch launch(
      bench.machine,
      [&] {
        return SimulatedWork{1e-3, seconds(bench.machine.now - begun) < 0.2 ? 150.0 : 300.0};
      },
      20);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result.value()->run_energy()->value, 0.3, 0.003);
}

TEST(Protocol, AtTheCapItTakesLonger) {
  Bench bench;
  SimulatedLaunch launch = load(bench, {1e-3, 700}, 20);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result.value()->is_capped);
  EXPECT_TRUE(result.value()->is_settled);
  EXPECT_DOUBLE_EQ(result.value()->settled_after.value, 1.2);
  EXPECT_GE(result.value()->window.duration().value, 1.5);
  EXPECT_EQ(*result.value()->resources.throttle_reasons & kPowerCapReasons, 4U);
}

TEST(Protocol, WhatPausesTookIsTakenOff) {
  Bench bench;
  SimulatedLaunch launch = load(bench, {1e-3, 650}, 3);
  const auto result =
      measure(launch, bench.watch, node_settings(), bench.conduct, {0.7, Watts(100)});
  ASSERT_TRUE(result.ok());
  const Measurement& m = *result.value();
  EXPECT_FALSE(m.is_capped);
  // 3 ms at 650 W and 2.1 ms at 100 W: 423.5 W.
  EXPECT_NEAR(m.window.power()->value, 423.5, 5);
  EXPECT_NEAR(m.run_energy()->value, 0.65, 0.01);
  EXPECT_NEAR(m.run_time().value, 1e-3, 1e-5);
}

TEST(Protocol, ADriftingLoadIsMarked) {
  Bench bench;
  SimulatedLaunch launch(
      bench.machine,
      [&] {
        return SimulatedWork{1e-3, 200 + 100 * (seconds(bench.machine.now) - 1001)};
      },
      20);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result.value()->is_settled);
  EXPECT_GT(result.value()->window.drift, 0.02);
  EXPECT_NEAR(result.value()->load.value, 5.0, 0.2);
}

TEST(Protocol, WithoutMetersThereAreTimesAndNoEnergy) {
  SimulatedOptions options;
  options.has_gpu_counter = false;
  Bench bench(options);
  EXPECT_FALSE(bench.watch.has_energy());
  SimulatedLaunch launch = load(bench, {2e-3, 300}, 10);
  const auto result = measure(launch, bench.watch, node_settings(), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result.value()->run_energy());
  EXPECT_NEAR(result.value()->run_time().value, 2e-3, 1e-6);
  const auto idle = measure_idle(bench.watch, bench.conduct);
  ASSERT_TRUE(idle.ok());
  EXPECT_FALSE(idle.value()->power);
}

TEST(Protocol, RaplIsReadAsItRuns) {
  SimulatedOptions options;
  options.has_gpu_counter = false;
  options.has_rapl = true;
  Bench bench(options);
  SimulatedLaunch launch = load(bench, {3e-3, 80}, 7);
  const auto result = measure(launch, bench.watch, node_settings(), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result.value()->run_energy()->value, 0.24, 0.0024);
}

TEST(Protocol, FiveRoundsOfTwentySeconds) {
  Bench bench;
  SimulatedLaunch launch = load(bench, {5e-3, 250}, 4);
  const Nanos begun = bench.machine.now;
  const auto result = measure(launch, bench.watch, irene_settings(), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result.value()->run_energy()->value, 1.25, 0.0125);
  EXPECT_EQ(result.value()->round_energies.size(), 5U);
  EXPECT_NEAR(result.value()->load.value, 100, 3);
  // Rest in between, until the power is down again.
  EXPECT_GT(seconds(bench.machine.now - begun), result.value()->load.value + 4 * 0.1);
}

TEST(Protocol, ShorterRoundsAreWholeOnes) {
  Bench bench;
  SimulatedLaunch launch = load(bench, {5e-3, 250}, 4);
  const auto result = measure(launch, bench.watch, irene_settings(2), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result.value()->run_energy()->value, 1.25, 0.0125);
  EXPECT_EQ(result.value()->round_energies.size(), 5U);
  EXPECT_NEAR(result.value()->load.value, 10, 1);
  EXPECT_TRUE(result.value()->is_settled) << "rounds are as long as they were asked to be";
}

TEST(Protocol, IdleIsMeasuredBetweenTicks) {
  Bench bench;
  const auto idle = measure_idle(bench.watch, bench.conduct);
  ASSERT_TRUE(idle.ok());
  EXPECT_NEAR(idle.value()->power->value, 100, 1);
  EXPECT_GE(idle.value()->duration.value, 1.0);
  EXPECT_TRUE(wait_for_standby(bench.watch, bench.conduct, 110));
  EXPECT_TRUE(wait_for_standby(bench.watch, bench.conduct, std::nullopt));
  EXPECT_FALSE(wait_for_standby(bench.watch, bench.conduct, 90));
}

TEST(Protocol, StandbyIsWhenPowerFallsNoMore) {
  Bench bench;
  // It cools down for two seconds after work.
  const double begun = seconds(bench.machine.now);
  bench.machine.disturbance = [&](Nanos now) {
    return 1 + std::max(0.0, 2 - (seconds(now) - begun));
  };
  bench.machine.pass(kNanosPerMillisecond, 100);
  const auto waited = wait_for_standby(bench.watch, bench.conduct, std::nullopt);
  ASSERT_TRUE(waited);
  EXPECT_NEAR(*waited, 2.4, 0.3);
}

TEST(Protocol, AMeterThatDiesIsAnError) {
  Bench bench;
  int launches = 0;
  SimulatedLaunch launch(
      bench.machine,
      [&] {
        if (++launches == 10) bench.machine.is_lost = true;
        return SimulatedWork{};
      },
      20);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
}

TEST(Protocol, RoundsWithoutAMeterHaveNoEnergies) {
  SimulatedOptions blind;
  blind.has_gpu_counter = false;
  Bench bench(blind);
  SimulatedLaunch launch = load(bench, {5e-3, 250}, 4);
  const auto result = measure(launch, bench.watch, irene_settings(2), bench.conduct);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result.value()->round_energies.empty());
  EXPECT_FALSE(result.value()->run_energy());
  EXPECT_NEAR(result.value()->run_time().value, 5e-3, 5e-6);
}

TEST(Protocol, StopsWhenTold) {
  Bench bench;
  bench.machine.is_stopped = [](SimulatedMachine& m) { return seconds(m.now) > 1001.3; };
  SimulatedLaunch launch = load(bench, {1e-3, 200}, 20);
  const auto result = measure(launch, bench.watch, whole_settings(), bench.conduct);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result.value());  // No failure, and nothing measured.
}

}  // namespace
}  // namespace wattree
