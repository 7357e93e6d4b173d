// What the sampler costs the machine it measures: CPU time as a share of one core, memory, and the
// price of a single reading. On the meters of this machine, and a fake GPU where there is none.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "src/measure/meter/find.h"
#include "src/measure/meter/sampler.h"
#include "src/measure/meter/window.h"

namespace wattree {
namespace {

// A machine's worth: what is here, an assumed power, and this process.
Meters all_meters() {
  MeterQuery query;
  query.assumptions = {{Component::kCpu, Watts(65)}, {Component::kGpu, Watts(300)}};
  return std::move(find_meters(query).meters);
}

double cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
}

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// The argument is the period in milliseconds; two seconds of sampling, with a reader that drains
// and keeps a window open, as tracking does.
void SamplerCost(benchmark::State& state) {
  double share = 0.0, readings = 0.0, megabytes = 0.0;
  SamplerOptions options;
  options.period = state.range(0) * kNanosPerMillisecond;
  for (auto _ : state) {
    Sampler sampler(all_meters(), options);
    std::vector<const Description*> descriptions;
    for (const auto& meter : sampler.meters()) descriptions.push_back(&meter->description());
    Windows windows(descriptions);
    if (!sampler.start().ok()) state.SkipWithError("the sampler does not start");
    windows.begin("run", sampler.clock().now());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double before = cpu_seconds();
    const Nanos begun = sampler.clock().now();
    for (int i = 0; i < 4; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      sampler.drain([&](const SampleEvent& event) {
        if (event.absence == Absence::kNone) windows.add(event.meter, event.point);
        ++readings;
      });
    }
    share = (cpu_seconds() - before) / seconds(sampler.clock().now() - begun);
    megabytes = resident_megabytes();
    sampler.stop();
    if (sampler.dropped() > 0) state.SkipWithError("readings were dropped");
  }
  state.counters["share_of_core"] = share;
  state.counters["resident_mb"] = megabytes;
  state.counters["readings"] = readings;
}
BENCHMARK(SamplerCost)
    ->Arg(100)
    ->Arg(10)
    ->Arg(1)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// One reading of every meter that is quick to answer.
void ReadEveryMeter(benchmark::State& state) {
  const Meters meters = all_meters();
  for (auto _ : state) {
    for (const auto& meter : meters) benchmark::DoNotOptimize(meter->read());
  }
  state.counters["meters"] = static_cast<double>(meters.size());
}
BENCHMARK(ReadEveryMeter)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace wattree
