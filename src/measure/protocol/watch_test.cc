#include "src/measure/protocol/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "src/measure/protocol/simulated.h"
#include "src/measure/protocol/software_baseline.h"

namespace wattree {
namespace {

// A counter of 1 J that steps with every reading, from whatever thread.
class Stepping final : public Meter {
 public:
  explicit Stepping(Description description) : Meter(std::move(description)) {}
  Sample read() noexcept override { return {++count_, 250.0, Absence::kNone}; }

 private:
  std::atomic<std::uint64_t> count_{0};
};

Description described(std::string name, Kind kind, Unit unit, bool is_counted) {
  Description out;
  out.name = std::move(name);
  out.kind = kind;
  out.unit = unit;
  out.component = Component::kGpu;
  out.period = Seconds(0.1);
  out.is_counted = is_counted;
  if (unit == Unit::kWatt) out.signal = Signal::kPower;
  return out;
}

TEST(Watch, ItsThreadsReadWhileOthersLook) {
  Meters meters;
  meters.push_back(
      std::make_unique<Stepping>(described("gpu1.energy", Kind::kCounter, Unit::kJoule, true)));
  meters.push_back(
      std::make_unique<Stepping>(described("gpu1.power", Kind::kLevel, Unit::kWatt, false)));
  WatchOptions options;
  options.state_period = kNanosPerMillisecond;
  Watch watch(std::move(meters), Component::kGpu, options, boot_clock());
  ASSERT_TRUE(watch.has_energy());
  ASSERT_TRUE(watch.start().ok());
  const Nanos begun = watch.clock().now();
  std::vector<Tick> ticks;
  while (ticks.size() < 20 || watch.latest_powers(3).size() < 3) {
    ticks = watch.ticks_from(begun);
    watch.capped_share(begun);
    watch.forget_before(begun - kNanosPerSecond);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_LT(seconds(watch.clock().now() - begun), 30);
  }
  const Resources resources = watch.resources(begun, watch.clock().now());
  watch.stop();
  EXPECT_EQ(resources.sampled_power, Watts(250.0));
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    EXPECT_LE(ticks[i - 1].before, ticks[i].after);
    EXPECT_DOUBLE_EQ(ticks[i].energy.value - ticks[i - 1].energy.value, 1.0);
  }
  EXPECT_EQ(watch.failure(), Absence::kNone);
}

// By what meters say they are, not by their names.
TEST(Watch, KeepsTheStateOfTheGpuThatIsMeasured) {
  Meters meters;
  const auto add = [&](const char* device, Unit unit, Signal signal) {
    const bool is_energy = unit == Unit::kJoule;
    Description d =
        described("some.thing", is_energy ? Kind::kCounter : Kind::kLevel, unit, is_energy);
    d.device = device;
    d.signal = signal;
    meters.push_back(std::make_unique<Stepping>(d));
  };
  add("card A", Unit::kJoule, Signal::kOther);
  add("card A", Unit::kWatt, Signal::kPower);
  add("card A", Unit::kWatt, Signal::kPowerLimit);
  add("card A", Unit::kWatt, Signal::kOther);  // Such as a mean over a second.
  add("card B", Unit::kWatt, Signal::kPower);
  add("card B", Unit::kJoule, Signal::kOther);
  Watch watch(std::move(meters), Component::kGpu, {}, boot_clock());
  EXPECT_EQ(watch.energy_meters().size(), 1U);
  EXPECT_EQ(watch.power_limit_w(), 250.0);
  watch.read_state();
  EXPECT_EQ(watch.latest_powers(3), std::vector<double>{250.0});
}

TEST(Watch, ProcessorsAreNeverBusierThanTheyCanBe) {
  SimulatedOptions busy;
  busy.other_cpus = 1.01;
  SimulatedMachine machine(busy);
  WatchOptions options;
  Watch watch(machine.meters(), machine.component(), options, machine.clock());
  machine.attach(watch);
  machine.pass(kNanosPerSecond, 100);
  EXPECT_EQ(watch.resources(machine.now - kNanosPerSecond / 2, machine.now).cpu_percent, 100.0);
}

// By hand: 10 J of the processors of which half is ours, 4 J of memory of which a quarter is, 100 W
// for 2 s: (5 + 1 + 200) J times 1.58, over 100 runs.
TEST(SoftwareBaseline, SharesOfComponentsTimesPue) {
  Measurement m;
  m.window.begun = 0;
  m.window.ended = 2 * kNanosPerSecond;
  m.window.runs = 100;
  m.resources.cpu_energy = Joules(10);
  m.resources.cpu_percent = 40;
  m.resources.own_cpu_percent = 20;
  m.resources.dram_energy = Joules(4);
  m.resources.ram_percent = 80;
  m.resources.own_ram_percent = 20;
  m.resources.sampled_power = Watts(100);
  const auto all = software_estimate(m, false);
  ASSERT_TRUE(all);
  EXPECT_NEAR(all->energy.value, 1.58 * 206 / 100, 1e-12);
  EXPECT_EQ(all->covers, "cpu+dram+gpu");
  EXPECT_EQ(software_estimate(m, true)->covers, "cpu+dram");
  m.resources = {};
  EXPECT_FALSE(software_estimate(m, false));
}

}  // namespace
}  // namespace wattree
