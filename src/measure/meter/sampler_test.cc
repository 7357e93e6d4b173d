#include "src/measure/meter/sampler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>

#include "src/measure/meter/assumed.h"
#include "src/measure/meter/nvml_meters.h"
#include "src/measure/meter/proc.h"
#include "tests/support/fake_nvml.h"

namespace {
// operator new has no other way to count.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint64_t> allocations{0};
}  // namespace

// Counts every allocation of this program. Inlined, the compiler takes each for one half of a pair
// that does not fit.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace wattree {
namespace {

constexpr Nanos kMs = kNanosPerMillisecond;

// A clock that moves when it is told to, and by every look at it where that is asked for.
struct FakeClock {
  Nanos now = 1'000 * kMs;
  Clock clock() {
    return {[](void* self) { return static_cast<FakeClock*>(self)->now; }, this};
  }
};

Description named(const char* name, double period) {
  Description out;
  out.name = name;
  out.period = Seconds(period);
  return out;
}

// A level that counts how often it is read; every so often it may be absent, and each reading may
// take time on the fake clock.
class Probe final : public Meter {
 public:
  explicit Probe(Description description, FakeClock* clock = nullptr, Nanos takes = 0)
      : Meter(std::move(description)), clock_(clock), takes_(takes) {}
  Sample read() noexcept override {
    ++reads;
    if (clock_ != nullptr) clock_->now += takes_;
    return {0, 10.0, is_lost ? Absence::kLost : Absence::kNone};
  }
  std::atomic<int> reads{0};
  std::atomic<bool> is_lost{false};

 private:
  FakeClock* clock_;
  Nanos takes_;
};

std::vector<SampleEvent> drain(Lane& lane) {
  std::vector<SampleEvent> out;
  for (SampleEvent event; lane.pop(event);) out.push_back(event);
  return out;
}

TEST(Lane, KeepsToItsGrid) {
  FakeClock time;
  Probe probe(named("a", 0.0));
  Lane lane({100 * kMs, 0, 64}, time.clock());
  lane.add(0, probe);
  EXPECT_EQ(lane.poll(false), 1100 * kMs);
  time.now = 1099 * kMs;
  EXPECT_EQ(lane.poll(false), 1100 * kMs);  // Not due.
  EXPECT_EQ(probe.reads, 1);
  time.now = 1107 * kMs;  // A little late: the next one is not.
  EXPECT_EQ(lane.poll(false), 1200 * kMs);
  time.now = 1450 * kMs;  // Much too late: two beats are left out.
  EXPECT_EQ(lane.poll(false), 1500 * kMs);
  EXPECT_EQ(probe.reads, 3);
  EXPECT_EQ(drain(lane).size(), 3u);
}

TEST(Lane, ReadsSlowlyChangingSourcesLessOften) {
  FakeClock time;
  Probe fast(named("fast", 1e-3)), slow(named("slow", 0.1));
  Lane lane({kMs, 0, 1024}, time.clock());
  lane.add(0, fast);
  lane.add(1, slow);
  for (int i = 0; i < 100; ++i, time.now += kMs) lane.poll(false);
  EXPECT_EQ(fast.reads, 100);
  EXPECT_EQ(slow.reads, 5);  // Every 20 ms: a fifth of its 100 ms.
}

TEST(Lane, ReadsUseLessOftenThanEnergy) {
  FakeClock time;
  Description energy = named("energy", 0.0);
  energy.is_counted = true;
  Probe power(energy), use(named("use", 0.0));
  Lane lane({100 * kMs, 500 * kMs, 1024}, time.clock());
  lane.add(0, power);
  lane.add(1, use);
  for (int i = 0; i < 20; ++i, time.now += 100 * kMs) lane.poll(false);
  EXPECT_EQ(power.reads, 20);
  EXPECT_EQ(use.reads, 4);
}

// When a meter that takes 5 ms to answer is read, in milliseconds, by a lane that is polled
// whenever it wants to be, and at the marks.
std::vector<Nanos> readings_of_slow_meter(double share, std::vector<Nanos> marks, Nanos until) {
  FakeClock fake;
  fake.now = kMs;
  Description description = named("slow", 0.1);
  description.is_slow = true;
  description.is_counted = true;
  Probe probe(description, &fake, 5 * kMs);
  SamplerOptions options{100 * kMs, 0, 4096};
  options.slow_share = share;
  Lane lane(options, fake.clock());
  lane.add(0, probe);
  bool is_mark = false;
  while (fake.now < until) {
    const Nanos next = lane.poll(is_mark);
    is_mark = !marks.empty() && marks.front() <= next;
    fake.now = std::max(fake.now, is_mark ? marks.front() : next);
    if (is_mark) marks.erase(marks.begin());
  }
  std::vector<Nanos> out;
  for (const SampleEvent& event : drain(lane)) out.push_back(event.point.begun / kMs);
  return out;
}

TEST(Lane, ReadsASlowMeterLessAndLessOftenUntilItIsAffordable) {
  // 5 ms at half a percent of the time: once a second.
  EXPECT_EQ(readings_of_slow_meter(0.005, {}, 4'000 * kMs),
            (std::vector<Nanos>{1, 101, 301, 701, 1501, 2501, 3501}));
  // At a percent every half second.
  EXPECT_EQ(readings_of_slow_meter(0.01, {}, 2'000 * kMs),
            (std::vector<Nanos>{1, 101, 301, 701, 1201, 1701}));
  EXPECT_EQ(readings_of_slow_meter(0, {}, 450 * kMs), (std::vector<Nanos>{1, 101, 201, 301, 401}));
}

TEST(Lane, ReadsASlowMeterAtAMarkAndCloselyAfterIt) {
  EXPECT_EQ(readings_of_slow_meter(0.005, {2'000 * kMs}, 3'000 * kMs),
            (std::vector<Nanos>{1, 101, 301, 701, 1501, 2000, 2100, 2300, 2700}));
  // Marks that come too often are not all followed: half a period is left between readings.
  EXPECT_EQ(readings_of_slow_meter(0.005, {2'000 * kMs, 2'001 * kMs, 2'030 * kMs, 2'060 * kMs},
                                   2'200 * kMs),
            (std::vector<Nanos>{1, 101, 301, 701, 1501, 2000, 2050, 2100}));
}

TEST(Lane, IntegratesWhatItReads) {
  FakeClock time;
  Probe probe(named("a", 0.0));
  Lane lane({100 * kMs, 0, 64}, time.clock());
  lane.add(7, probe);
  for (int i = 0; i <= 10; ++i, time.now += 100 * kMs) lane.poll(false);
  const auto events = drain(lane);
  ASSERT_EQ(events.size(), 11u);
  EXPECT_EQ(events.back().meter, 7u);
  EXPECT_NEAR(events.back().point.integral, 10.0, 1e-9);  // 10 W for a second.
}

TEST(Lane, TellsOnceThatAMeterIsLostAndThatItIsBack) {
  FakeClock time;
  Probe probe(named("a", 0.0));
  Lane lane({100 * kMs, 0, 64}, time.clock());
  lane.add(0, probe);
  const auto beat = [&](int beats) {
    for (int i = 0; i < beats; ++i, time.now += 100 * kMs) lane.poll(false);
  };
  beat(2);
  probe.is_lost = true;
  beat(5);
  probe.is_lost = false;
  beat(1);
  const auto events = drain(lane);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[2].absence, Absence::kLost);
  EXPECT_EQ(events[3].absence, Absence::kNone);
  EXPECT_EQ(events[3].point.gap, Gap::kAbsent);
}

TEST(Lane, ADormantMeterIsNotReadUntilItJoinsAndGoesOnFromThere) {
  FakeClock time;
  Description counter = named("c", 0.0);
  counter.kind = Kind::kCounter;
  counter.resolution = 1e-3;
  struct Counter final : Meter {
    using Meter::Meter;
    Sample read() noexcept override { return {++reads * 1000, 0.0, Absence::kNone}; }
    std::uint64_t reads = 6;
  } meter(counter);
  Probe beside(named("a", 0.0));
  Lane lane({100 * kMs, 0, 64, {3}}, time.clock());
  lane.add(2, beside);
  lane.add(3, meter);
  lane.poll(true);
  lane.poll(true);
  EXPECT_EQ(meter.reads, 6u);
  EXPECT_EQ(drain(lane).size(), 2u);
  // Another program had read 5000 counts of a millijoule, 400 ms ago; the next one here is 7000.
  lane.join({3, {{5000, 0.0, Absence::kNone}, time.now - 400 * kMs, time.now - 400 * kMs}});
  time.now += 100 * kMs;
  lane.poll(false);
  std::vector<SampleEvent> events = drain(lane);
  std::erase_if(events, [](const SampleEvent& event) { return event.meter != 3; });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_DOUBLE_EQ(events[0].point.integral, 0.0);
  EXPECT_DOUBLE_EQ(events[1].point.integral, 2.0);
  EXPECT_DOUBLE_EQ(events[1].point.covered_seconds, 0.5);
}

TEST(Lane, ASuspendedMachineIsAGap) {
  FakeClock time;
  Probe probe(named("a", 0.0));
  Lane lane({100 * kMs, 0, 64}, time.clock());
  lane.add(0, probe);
  lane.poll(false);
  time.now += 3600 * kNanosPerSecond;
  lane.poll(false);
  const auto events = drain(lane);
  EXPECT_EQ(events.at(1).point.gap, Gap::kLate);
  EXPECT_DOUBLE_EQ(events.at(1).point.integral, 0.0);
}

TEST(Lane, AFullBacklogDropsPointsAndNotEnergy) {
  FakeClock time;
  Probe probe(named("a", 0.0));
  Lane lane({100 * kMs, 0, 4}, time.clock());
  lane.add(0, probe);
  for (int i = 0; i < 10; ++i, time.now += 100 * kMs) lane.poll(false);
  EXPECT_EQ(lane.dropped(), 6u);
  EXPECT_EQ(drain(lane).size(), 4u);
  lane.poll(false);  // 1 s after the first.
  EXPECT_NEAR(drain(lane).at(0).point.integral, 10.0, 1e-9);
}

TEST(Lane, StampsEachReadingWithItsOwnTime) {
  FakeClock time;
  Probe slow(named("slow", 0.0), &time, 4 * kMs), quick(named("quick", 0.0));
  Lane lane({100 * kMs, 0, 64}, time.clock());
  lane.add(0, slow);
  lane.add(1, quick);
  lane.poll(false);
  const auto events = drain(lane);
  EXPECT_EQ(events.at(0).point.begun, 1000 * kMs);
  EXPECT_EQ(events.at(0).point.ended, 1004 * kMs);
  EXPECT_EQ(events.at(0).point.time(), 1002 * kMs);
  EXPECT_EQ(events.at(1).point.begun, 1004 * kMs);
}

// Half a minute at most: what is waited for comes within a fraction of a second.
void wait_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 30'000 && !condition(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Sampler, RunsInRealTimeAndStopsWithALastReading) {
  Meters meters;
  meters.push_back(make_assumed_meter({Component::kCpu, Watts(65)}));
  Sampler sampler(std::move(meters), {5 * kMs, 0, 4096});
  EXPECT_TRUE(sampler.start().ok());
  std::vector<Point> points;
  const auto keep = [&](const SampleEvent& event) { points.push_back(event.point); };
  wait_for([&] {
    sampler.drain(keep);
    return points.size() >= 20;
  });
  sampler.stop();
  sampler.drain(keep);
  // 5 ms apart or more: a busy machine reads less often, and no machine more.
  const double elapsed = seconds(points.back().time() - points.front().time());
  EXPECT_LE(static_cast<double>(points.size()), elapsed / 0.005 + 3);
  EXPECT_EQ(sampler.dropped(), 0u);
  // 65 W over the time between the first reading and the last, gaps aside.
  EXPECT_NEAR(points.back().integral, 65.0 * points.back().covered_seconds, 1e-6);
}

TEST(Sampler, ASlowMeterDoesNotHoldUpTheOthers) {
  // Its energy counter takes 40 ms to answer; the other meter is read every 5 ms all the same.
  const FakeNvml fake("gpu 0 GPU-a H200\n0 0 energy_mj 5\n0 0 energy_mj slow 40\n");
  Found found = find_nvml_meters({fake.library(), {}});
  Meters meters;
  for (auto& meter : found.meters) {
    if (meter->description().name == "gpu0.energy") meters.push_back(std::move(meter));
  }
  ASSERT_EQ(meters.size(), 1u);
  auto probe = std::make_unique<Probe>(named("quick", 0.0));
  Probe& quick = *probe;
  meters.push_back(std::move(probe));
  Sampler sampler(std::move(meters), {5 * kMs, 0, 4096});
  EXPECT_TRUE(sampler.start().ok());
  int slow_reads = 0;
  Nanos longest = 0;
  wait_for([&] {
    sampler.drain([&](const SampleEvent& event) {
      if (event.meter != 0) return;
      ++slow_reads;
      longest = std::max(longest, event.point.ended - event.point.begun);
    });
    return slow_reads >= 6;
  });
  sampler.stop();
  // With both on one thread, each reading of the one would wait for a reading of the other; eight
  // fit beside it on a machine that is not busy.
  EXPECT_GE(quick.reads, 2 * slow_reads);
  EXPECT_GE(longest, 40 * kMs);
}

TEST(Sampler, AMarkIsAReadingAtOnce) {
  Meters meters;
  auto probe = std::make_unique<Probe>(named("a", 0.0));
  Probe& counted = *probe;
  meters.push_back(std::move(probe));
  Sampler sampler(std::move(meters), {3600 * kNanosPerSecond, 0, 64});
  EXPECT_TRUE(sampler.start().ok());
  wait_for([&] { return counted.reads >= 1; });
  EXPECT_EQ(counted.reads, 1);
  sampler.mark();
  wait_for([&] { return counted.reads >= 2; });
  EXPECT_EQ(counted.reads, 2);
  sampler.stop();
  EXPECT_EQ(counted.reads, 3);
}

TEST(Sampler, AllocatesNothingWhileItRuns) {
  const FakeNvml fake(
      "gpu 0 GPU-a H200\n0 0 energy_mj 5\n0 0 power_mw 6\n0 0 gpu_percent 7\n0 0 sm_mhz 8\n");
  Found found = find_nvml_meters({fake.library(), {}});
  append(found, find_host_meters("/proc"));
  append(found, find_process_meters("/proc", ::getpid()));
  found.meters.push_back(make_assumed_meter({Component::kCpu, Watts(65)}));
  EXPECT_GE(found.meters.size(), 8u);
  // The fake library's own search by name allocates no more than the real one: names are short.
  Sampler sampler(std::move(found.meters), {kMs, 0, 1 << 16});
  EXPECT_TRUE(sampler.start().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t before = allocations.load();
  timespec pause{0, 200 * kMs};
  ::nanosleep(&pause, nullptr);
  const std::uint64_t after = allocations.load();
  sampler.stop();
  std::size_t events = 0;
  sampler.drain([&](const SampleEvent&) { ++events; });
  EXPECT_GE(events, 100u);
  EXPECT_EQ(after - before, 0u);
}

TEST(Sampler, CanBeStoppedBeforeItStartsAndWithoutMeters) {
  Sampler none(Meters{}, {});
  EXPECT_TRUE(none.start().ok());
  none.mark();
  none.stop();
  Meters meters;
  meters.push_back(make_assumed_meter({Component::kCpu, Watts(1)}));
  Sampler never(std::move(meters), {});
  never.stop();
}

}  // namespace
}  // namespace wattree
