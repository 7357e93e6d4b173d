#include "src/measure/meter/window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace wattree {
namespace {

constexpr Nanos kMs = kNanosPerMillisecond;

// A GPU's counter that ticks every 100 ms and is read at the moments given, at a steady power.
Description gpu_counter() {
  Description out;
  out.name = "gpu0.energy";
  out.source = "NVML";
  out.kind = Kind::kCounter;
  out.unit = Unit::kJoule;
  out.component = Component::kGpu;
  out.boundary = Boundary::kGpu;
  out.resolution = 1e-3;
  out.period = Seconds(0.1);
  out.is_counted = true;
  return out;
}

Description cpu_power() {
  Description out;
  out.name = "cpu.assumed";
  out.source = "--assume";
  out.component = Component::kCpu;
  out.basis = Basis::kAssumed;
  out.period = Seconds(0.0);
  out.is_counted = true;
  return out;
}

// What a perfect counter of `watts` shows at `now`: its energy at the last tick.
std::uint64_t shown(Nanos now, Nanos tick, Nanos offset, double watts) {
  const Nanos last = (now - offset) / tick * tick + offset;
  return static_cast<std::uint64_t>(std::llround(watts * seconds(last) * 1e3));
}

void record(History& history, const Description& description, Nanos until, Nanos every, Nanos tick,
            Nanos offset, double watts) {
  Series series(description, 10 * every);
  for (Nanos now = tick; now <= until; now += every) {
    Point point;
    series.add({{shown(now, tick, offset, watts), 0.0, Absence::kNone}, now, now}, point);
    history.add(point);
  }
}

TEST(Window, ALongOneIsRightWithinItsBounds) {
  const Description gpu = gpu_counter();
  History history(gpu);
  record(history, gpu, 5000 * kMs, 100 * kMs, 100 * kMs, 37 * kMs, 600.0);
  const Amount amount = amount_between(history, 1234 * kMs, 3456 * kMs);
  EXPECT_TRUE(amount.is_settled);
  // 2.222 s of 600 W are 1333.2 J; an edge may be off by two steps of 60 J.
  EXPECT_NEAR(amount.value, 1333.2, 1.0);
  EXPECT_LE(amount.low, 1333.2);
  EXPECT_GE(amount.high, 1333.2);
  EXPECT_LE(amount.high - amount.low, 4 * 60.0 + 1e-9);
  EXPECT_DOUBLE_EQ(amount.gap_seconds, 0.0);
  EXPECT_NEAR(amount.mean(), 600.0, 0.5);
}

TEST(Window, FiftyMillisecondsAreNotZeroAndSayHowUnsureTheyAre) {
  const Description gpu = gpu_counter();
  History history(gpu);
  record(history, gpu, 3000 * kMs, 20 * kMs, 100 * kMs, 0, 600.0);
  const Amount amount = amount_between(history, 1020 * kMs, 1070 * kMs);
  EXPECT_TRUE(amount.is_settled);
  EXPECT_NEAR(amount.value, 30.0, 1.0);  // 50 ms of 600 W.
  EXPECT_DOUBLE_EQ(amount.low, 0.0);     // All of the step's 60 J may lie outside,
  EXPECT_DOUBLE_EQ(amount.high, 60.0);   // or inside.
}

TEST(Window, BoundsHoldWhereverTheEdgesAre) {
  // The truth is watts x duration; whatever the phase of ticks, readings and edges, it is in
  // bounds.
  const Description gpu = gpu_counter();
  for (const Nanos every : {10 * kMs, 33 * kMs, 100 * kMs}) {
    for (const Nanos offset : {0 * kMs, 41 * kMs, 99 * kMs}) {
      History history(gpu);
      record(history, gpu, 3000 * kMs, every, 100 * kMs, offset, 500.0);
      for (Nanos begun = 1000 * kMs; begun < 1130 * kMs; begun += 13 * kMs) {
        for (const Nanos length : {7 * kMs, 50 * kMs, 110 * kMs, 777 * kMs}) {
          const Amount amount = amount_between(history, begun, begun + length);
          const double truth = 500.0 * seconds(length);
          ASSERT_TRUE(amount.is_settled);
          ASSERT_LE(amount.low, truth + 1e-6) << every << " " << offset << " " << begun;
          ASSERT_GE(amount.high, truth - 1e-6) << every << " " << offset << " " << begun;
          ASSERT_GT(amount.value, 0.0);
        }
      }
    }
  }
}

TEST(Window, AReadingJustAfterAnEdgeBoundsItWhereTheOneBeforeIsLongAgo) {
  // Read once a second, and 1 ms after each edge for 5 ms, and a period later.
  Description gpu = gpu_counter();
  gpu.most_per_second = 4000.0;
  for (const Nanos offset : {0 * kMs, 41 * kMs, 99 * kMs}) {
    const Nanos begun = 2750 * kMs, ended = 6333 * kMs;
    std::vector<Nanos> moments{100,  1000, 2000, 2751, 2851, 3051,
                               4051, 5051, 6051, 6334, 6434, 6634};
    History history(gpu);
    Series series(gpu, kNanosPerSecond);
    for (const Nanos moment : moments) {
      const Nanos now = moment * kMs;
      Point point;
      series.add({{shown(now + 3 * kMs, 100 * kMs, offset, 500.0), 0.0, Absence::kNone},
                  now,
                  now + 5 * kMs},
                 point);
      history.add(point);
    }
    const Amount amount = amount_between(history, begun, ended);
    const double truth = 500.0 * seconds(ended - begun);
    EXPECT_TRUE(amount.is_settled);
    EXPECT_LE(amount.low, truth);
    EXPECT_GE(amount.high, truth);
    EXPECT_NEAR(amount.value, truth, 50.0);  // Half a step at each edge.
    // Of each edge: 6 ms of 4 kW are 24 J, and a step or two of 50 J.
    EXPECT_LE(amount.high - amount.low, 2 * (24.0 + 100.0));
  }
}

TEST(Window, AFastCountersEdgesAreAlmostExact) {
  Description package = gpu_counter();
  package.period = Seconds(1e-3);
  History history(package);
  record(history, package, 1000 * kMs, 10 * kMs, kMs, 0, 100.0);
  const Amount amount = amount_between(history, 200 * kMs, 400 * kMs);
  EXPECT_NEAR(amount.value, 20.0, 0.2);
  EXPECT_LE(amount.high - amount.low, 4.0);  // Two steps of 10 ms at 100 W on each side.
}

TEST(Window, IsNotSettledBeforeTheTickAfterItsEnd) {
  const Description gpu = gpu_counter();
  History history(gpu);
  record(history, gpu, 1000 * kMs, 100 * kMs, 100 * kMs, 0, 600.0);
  EXPECT_FALSE(amount_between(history, 500 * kMs, 1000 * kMs).is_settled);
  EXPECT_TRUE(amount_between(history, 500 * kMs, 800 * kMs).is_settled);
}

TEST(Window, BeforeTheFirstReadingNothingIsKnown) {
  const Description gpu = gpu_counter();
  History history(gpu);
  EXPECT_FALSE(amount_between(history, 0, kMs).is_known);
  record(history, gpu, 1000 * kMs, 100 * kMs, 100 * kMs, 0, 600.0);
  EXPECT_FALSE(amount_between(history, 50 * kMs, 500 * kMs).is_known);
}

void record_levels(History& history, const std::vector<std::pair<Nanos, double>>& levels) {
  Series series(cpu_power(), 300 * kMs);
  for (const auto& [ms, level] : levels) {
    Point point;
    const Reading reading{
        {0, level, level < 0 ? Absence::kLost : Absence::kNone}, ms * kMs, ms * kMs};
    if (series.add(reading, point)) history.add(point);
  }
}

TEST(Window, LevelsByHand) {
  const Description cpu = cpu_power();
  History history(cpu);
  record_levels(history, {{0, 100}, {100, 100}, {200, 300}, {300, 300}, {400, 300}, {500, 300}});
  // From 50 to 250 ms: 50 ms at 100 W = 5 J; 100 ms from 100 to 300 W = 20 J; 50 ms at 300 W = 15
  // J.
  const Amount amount = amount_between(history, 50 * kMs, 250 * kMs);
  EXPECT_NEAR(amount.value, 40.0, 1e-9);
  EXPECT_LT(amount.low, 40.0);  // The step may have been 100 ms earlier or later.
  EXPECT_GT(amount.high, 40.0);
  const Amount steady = amount_between(history, 300 * kMs, 350 * kMs);
  EXPECT_NEAR(steady.value, 15.0, 1e-9);
}

TEST(Window, AGapIsTakenOffTheTimeThatIsCovered) {
  const Description cpu = cpu_power();
  History history(cpu);
  record_levels(history, {{0, 100}, {100, 100}, {200, -1}, {300, 100}, {400, 100}, {500, 100}});
  // From 50 to 350 ms: 50 ms before the gap from 100 to 300 ms, and 50 ms after it.
  const Amount amount = amount_between(history, 50 * kMs, 350 * kMs);
  EXPECT_NEAR(amount.value, 10.0, 1e-9);
  EXPECT_NEAR(amount.covered_seconds, 0.1, 1e-9);
  EXPECT_NEAR(amount.gap_seconds, 0.2, 1e-9);
  EXPECT_NEAR(amount.mean(), 100.0, 1e-6);
  // Inside the gap.
  EXPECT_NEAR(amount_between(history, 120 * kMs, 250 * kMs).value, 0.0, 1e-9);
  EXPECT_NEAR(amount_between(history, 120 * kMs, 250 * kMs).gap_seconds, 0.13, 1e-9);
}

TEST(Window, ASilentMeterDoesNotGoOn) {
  const Description cpu = cpu_power();
  History history(cpu);
  record_levels(history, {{0, 100}, {100, 100}});
  const Amount amount = amount_between(history, 0, 10'000 * kMs);
  EXPECT_NEAR(amount.value, 10.0, 1e-9);
  EXPECT_NEAR(amount.gap_seconds, 9.9, 1e-9);
}

struct Rig {
  Description gpu = gpu_counter();
  Description cpu = cpu_power();
  std::vector<const Description*> meters{&gpu, &cpu};
  Windows windows{meters};
  Series gpu_series{gpu, 300 * kMs};
  Series cpu_series{cpu, 300 * kMs};
  Nanos now = 100 * kMs;

  void run_until(Nanos until, bool has_cpu = true) {
    for (; now <= until; now += 20 * kMs) {
      Point point;
      gpu_series.add({{shown(now, 100 * kMs, 0, 600.0), 0.0, Absence::kNone}, now, now}, point);
      windows.add(0, point);
      if (!has_cpu) continue;
      cpu_series.add({{0, 65.0, Absence::kNone}, now, now}, point);
      windows.add(1, point);
    }
  }
};

TEST(Windows, NestedAndOverlappingOnesAreIndependent) {
  Rig rig;
  rig.run_until(1000 * kMs);
  const int outer = rig.windows.begin("epoch", 1000 * kMs);
  rig.run_until(2000 * kMs);
  const int inner = rig.windows.begin("step", 2000 * kMs);
  rig.run_until(3000 * kMs);
  const int late = rig.windows.begin("overlapping", 2500 * kMs);
  EXPECT_TRUE(rig.windows.end(inner, 3000 * kMs));
  EXPECT_FALSE(rig.windows.end(inner, 3100 * kMs));
  rig.run_until(5000 * kMs);
  EXPECT_TRUE(rig.windows.end(outer, 4000 * kMs));
  EXPECT_TRUE(rig.windows.end(late, 4500 * kMs));
  EXPECT_FALSE(rig.windows.end(99, 0));
  const std::vector<Window> done = rig.windows.take_finished();
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0].name, "step");
  EXPECT_EQ(done[1].name, "epoch");
  EXPECT_EQ(done[2].name, "overlapping");
  // 600 W and 65 W over 1 s, 3 s and 2 s.
  EXPECT_NEAR(done[0].amounts[0].value, 600.0, 1.0);
  EXPECT_NEAR(done[1].amounts[0].value, 1800.0, 1.0);
  EXPECT_NEAR(done[2].amounts[0].value, 1200.0, 1.0);
  EXPECT_NEAR(done[1].amounts[1].value, 195.0, 1e-6);
  EXPECT_TRUE(rig.windows.take_finished().empty());
}

TEST(Windows, WaitUntilTheyAreSettledUnlessItIsOver) {
  Rig rig;
  rig.run_until(1000 * kMs);
  const int id = rig.windows.begin("epoch", 500 * kMs);
  EXPECT_TRUE(rig.windows.end(id, 1000 * kMs));
  EXPECT_TRUE(rig.windows.take_finished().empty());
  EXPECT_EQ(rig.windows.take_finished(true).size(), 1u);
}

TEST(Windows, AreNotHeldUpByASilentMeterForEver) {
  Rig rig;
  rig.run_until(1000 * kMs);
  const int id = rig.windows.begin("epoch", 500 * kMs);
  rig.run_until(3000 * kMs, false);
  EXPECT_TRUE(rig.windows.end(id, 3000 * kMs));
  rig.run_until(7000 * kMs, false);
  EXPECT_TRUE(rig.windows.take_finished().empty());
  rig.run_until(9000 * kMs, false);
  const std::vector<Window> done = rig.windows.take_finished();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_NEAR(done[0].amounts[0].value, 1500.0, 1.0);
  EXPECT_NEAR(done[0].amounts[1].value, 65.0 * 0.5, 1.0);  // Until it went silent.
  EXPECT_NEAR(done[0].amounts[1].gap_seconds, 2.0, 0.05);
}

TEST(Windows, SettleInTheTimeTheySayAndDoNotWaitForUse) {
  Rig rig;
  Description use;
  use.name = "gpu0.utilisation";
  const std::vector<const Description*> meters{&rig.gpu, &use};
  Windows windows(meters);
  // 100 ms and a half for the tick, and two readings of 20 ms.
  EXPECT_EQ(windows.settling_time(20 * kMs), 190 * kMs);
  const int id = windows.begin("epoch", 500 * kMs);
  EXPECT_TRUE(windows.end(id, 1000 * kMs));
  for (Nanos now = 100 * kMs; now <= 1190 * kMs; now += 20 * kMs) {
    Point point;
    rig.gpu_series.add({{shown(now, 100 * kMs, 0, 600.0), 0.0, Absence::kNone}, now, now}, point);
    windows.add(0, point);
  }
  EXPECT_EQ(windows.take_finished().size(), 1u);
}

TEST(Windows, CanBeLookedAtWhileTheyAreOpen) {
  Rig rig;
  const int id = rig.windows.begin("run", 200 * kMs);
  rig.run_until(2000 * kMs);
  const auto now = rig.windows.peek(id, 1200 * kMs);
  ASSERT_TRUE(now);
  EXPECT_NEAR(now->amounts[0].value, 600.0, 60.0);
  EXPECT_FALSE(rig.windows.peek(77, 0));
}

TEST(Windows, ALongRunDoesNotGrowAndStaysRight) {
  Rig rig;
  rig.run_until(1000 * kMs);
  const int id = rig.windows.begin("run", 1000 * kMs);
  rig.run_until(3'601'000 * kMs);  // An hour, 180 000 readings.
  EXPECT_TRUE(rig.windows.end(id, 3'600'500 * kMs));
  rig.run_until(3'602'000 * kMs);
  const std::vector<Window> done = rig.windows.take_finished();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_NEAR(done[0].amounts[0].value, 600.0 * 3599.5, 60.0);
  EXPECT_NEAR(done[0].amounts[1].value, 65.0 * 3599.5, 1e-3);
}

TEST(History, ForgetsWhatIsNotNeeded) {
  const Description gpu = gpu_counter();
  History history(gpu);
  record(history, gpu, 10'000 * kMs, 20 * kMs, 100 * kMs, 0, 600.0);
  const Edge before = history.at(9000 * kMs);
  history.forget_before(9000 * kMs);
  EXPECT_LT(history.size(), 100u);
  const Edge after = history.at(9000 * kMs);
  EXPECT_EQ(before.integral, after.integral);
  EXPECT_EQ(before.low, after.low);
  EXPECT_EQ(before.high, after.high);
}

TEST(SplitEnergy, GrossIdleAndAboveIdle) {
  const EnergySplit split = split_energy(Joules(6000), Seconds(10), Watts(125));
  EXPECT_EQ(split.idle, Joules(1250));
  EXPECT_EQ(split.above_idle, Joules(4750));
  EXPECT_EQ(split_energy(Joules(100), Seconds(1), Watts(125)).above_idle, Joules(-25));
}

TEST(SumEnergy, TakesTheWeakestBasisAndEachPartOnce) {
  const Description gpu = gpu_counter();
  const Description cpu = cpu_power();
  Description power = gpu_counter();
  power.is_counted = false;
  const std::vector<const Description*> meters{&gpu, &cpu, &power};
  Amount amount;
  amount.is_known = true;
  amount.value = 10.0;
  amount.high = 12.0;
  const EnergySum all = sum_energy(meters, {amount, amount, amount});
  EXPECT_EQ(all.energy, Joules(20));
  EXPECT_EQ(all.high, Joules(24));
  EXPECT_EQ(all.provenance.basis, Basis::kAssumed);
  EXPECT_EQ(all.provenance.boundary, Boundary::kHost);
  EXPECT_EQ(all.provenance.by, "NVML; --assume");
  const EnergySum gpus = sum_energy(meters, {amount, amount, amount}, Component::kGpu);
  EXPECT_EQ(gpus.energy, Joules(10));
  EXPECT_EQ(gpus.provenance.basis, Basis::kMeasured);
  EXPECT_EQ(sum_energy(meters, {amount, amount, amount}, Component::kDram).meters, 0);
}

// A meter that another tracker counted for the first two seconds.
TEST(Windows, AMeterThatJoinsCountsFromThenOn) {
  const Description here = cpu_power(), late = gpu_counter();
  Windows windows({&here, &late});
  windows.set_dormant(1);
  const int run = windows.begin("run", 500 * kMs);
  const int early = windows.begin("early", 600 * kMs);
  Series level(here, 1000 * kMs), counter(late, 1000 * kMs);
  const auto add = [&](Nanos now) {
    Point point;
    level.add({{0, 50.0, Absence::kNone}, now, now}, point);
    windows.add(0, point);
  };
  for (Nanos now = 0; now <= 1900 * kMs; now += 100 * kMs) add(now);
  windows.end(early, 1600 * kMs);
  // Nobody waits for it.
  std::vector<Window> finished = windows.take_finished();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_TRUE(finished[0].amounts[0].is_known);
  EXPECT_FALSE(finished[0].amounts[1].is_known);

  windows.join(1, 2000 * kMs);
  const int epoch = windows.begin("epoch", 2200 * kMs);
  for (Nanos now = 2000 * kMs; now <= 4000 * kMs; now += 100 * kMs) {
    add(now);
    Point point;
    // 600 W; the first count is what the other one said.
    const auto count = static_cast<std::uint64_t>(7000 + 600 * (now / kMs - 2000));
    counter.add({{count, 0.0, Absence::kNone}, now, now}, point);
    windows.add(1, point);
  }
  windows.end(epoch, 3200 * kMs);
  windows.end(run, 3500 * kMs);
  finished = windows.take_finished();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_NEAR(finished[0].amounts[1].value, 600.0, 65.0);  // A second, and a step of the counter.
  EXPECT_DOUBLE_EQ(finished[0].amounts[1].gap_seconds, 0.0);
  EXPECT_NEAR(finished[1].amounts[0].value, 150.0, 1e-9);  // Three seconds of 50 W.
  EXPECT_NEAR(finished[1].amounts[1].value, 900.0, 65.0);
  EXPECT_NEAR(finished[1].amounts[1].gap_seconds, 1.5, 1e-9);
}

}  // namespace
}  // namespace wattree
