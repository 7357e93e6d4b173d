// Checks NVML's meters on a machine that has a GPU: what they find, how often they step, what a
// reading costs, and whether the energy counter agrees with integrated power, idle and under load.
//
//   sources="$(ls src/measure/meter/*.cc | grep -v _test) src/base/provenance.cc src/base/text.cc
//   src/base/json_writer.cc" g++ -std=c++20 -O2 -I. tools/check_nvml.cc $sources -ldl -pthread -o
//   check_nvml
//   ./check_nvml [SECONDS] [COMMAND …]     COMMAND keeps the GPU busy; it is ended afterwards
//
// Needs nothing but the standard library.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "src/measure/meter/find.h"
#include "src/measure/meter/nvml.h"
#include "src/measure/meter/sampler.h"
#include "src/measure/meter/window.h"

namespace {

using namespace wattree;

void print_found(const Found& found) {
  for (const auto& meter : found.meters) {
    const Description& d = meter->description();
    const Reading reading = take_reading(*meter, boot_clock());
    const double value = d.kind == Kind::kCounter
                             ? static_cast<double>(reading.sample.count) * d.resolution
                             : reading.sample.level;
    std::printf("  %-18s %14.3f %-4s %-9s read in %.3f ms%s\n", d.name.c_str(), value,
                std::string(symbol_of(d.unit)).c_str(),
                std::string(name_of(reading.sample.absence)).c_str(),
                seconds(reading.ended - reading.begun) * 1e3, d.is_counted ? "  counted" : "");
  }
  for (const Obstacle& o : found.obstacles) {
    std::printf("  not: %s: %s\n       %s\n", o.what.c_str(), o.why.c_str(), o.remedy.c_str());
  }
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return of(use.ru_utime) + of(use.ru_stime);
}

void pause_for(double duration) {
  const timespec time{
      static_cast<time_t>(duration),
      static_cast<long>((duration - static_cast<double>(static_cast<time_t>(duration))) * 1e9)};
  nanosleep(&time, nullptr);
}

// Samples for `duration` and prints, for each GPU, energy by counter and by power.
void measure(const char* title, double duration, Nanos period) {
  Found found = find_meters({});
  std::vector<const Description*> descriptions;
  Sampler sampler(std::move(found.meters), {period, period, 1 << 20});
  for (const auto& meter : sampler.meters()) descriptions.push_back(&meter->description());
  Windows windows(descriptions);
  std::map<std::size_t, std::vector<double>> latencies, steps;
  std::map<std::size_t, Nanos> last_step;
  std::map<std::size_t, int> gaps, points;
  if (const Status failure = sampler.start(); !failure.ok()) {
    std::printf("%s\n", failure.error().message.c_str());
    std::exit(1);
  }
  const auto drain = [&] {
    sampler.drain([&](const SampleEvent& event) {
      if (event.absence != Absence::kNone) {
        std::printf("  %s: %s\n", descriptions[event.meter]->name.c_str(),
                    std::string(name_of(event.absence)).c_str());
        return;
      }
      windows.add(event.meter, event.point);
      ++points[event.meter];
      latencies[event.meter].push_back(seconds(event.point.ended - event.point.begun) * 1e3);
      if (event.point.gap != Gap::kNone) ++gaps[event.meter];
      if (event.point.has_stepped) {
        if (last_step.count(event.meter) > 0) {
          steps[event.meter].push_back(seconds(event.point.time() - last_step[event.meter]) * 1e3);
        }
        last_step[event.meter] = event.point.time();
      }
    });
  };
  pause_for(1.0);
  const double cpu_before = cpu_seconds();
  const Nanos begun = boot_clock().now();
  const int whole = windows.begin("whole", begun);
  // And short ones inside it.
  std::vector<int> shorts;
  while (seconds(boot_clock().now() - begun) < duration) {
    shorts.push_back(windows.begin("short", boot_clock().now()));
    pause_for(0.05);
    windows.end(shorts.back(), boot_clock().now());
    pause_for(0.45);
    drain();
  }
  windows.end(whole, boot_clock().now());
  const double cpu_share = (cpu_seconds() - cpu_before) / seconds(boot_clock().now() - begun);
  pause_for(seconds(windows.settling_time(period)) + 0.1);
  sampler.stop();
  drain();
  std::printf(
      "\n%s: %.1f s, read every %.0f ms, CPU of this program %.2f %% of one core, dropped %llu\n",
      title, duration, seconds(period) * 1e3, 100.0 * cpu_share,
      static_cast<unsigned long long>(sampler.dropped()));
  std::map<std::string, Amount> amounts;
  for (const Window& window : windows.take_finished(true)) {
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
      const Amount& a = window.amounts[i];
      const Description& d = *descriptions[i];
      if (d.component != Component::kGpu) continue;
      const bool is_energy = d.unit == Unit::kJoule || d.name.ends_with(".power");
      if (window.id == whole) {
        std::printf(
            "  %-18s %s %12.3f  mean %10.3f %-4s  [%.3f, %.3f]  gap %.3f s%s, %d readings, %d "
            "gaps, "
            "reading %.3f ms (most %.3f), steps every %.1f ms (%.1f to %.1f)\n",
            d.name.c_str(), is_energy ? "J" : " ", a.value, a.mean(),
            std::string(symbol_of(d.unit == Unit::kJoule ? Unit::kWatt : d.unit)).c_str(), a.low,
            a.high, a.gap_seconds, a.is_settled ? "" : " (not settled)", points[i], gaps[i],
            median(latencies[i]),
            latencies[i].empty() ? 0.0
                                 : *std::max_element(latencies[i].begin(), latencies[i].end()),
            median(steps[i]),
            steps[i].empty() ? 0.0 : *std::min_element(steps[i].begin(), steps[i].end()),
            steps[i].empty() ? 0.0 : *std::max_element(steps[i].begin(), steps[i].end()));
        amounts[d.name] = a;
      } else if (window.id == shorts.front() && is_energy) {
        std::printf("  50 ms window: %-12s %.3f J in [%.3f, %.3f]%s\n", d.name.c_str(), a.value,
                    a.low, a.high, a.is_settled ? "" : " (not settled)");
      }
    }
  }
  for (const auto& [name, energy] : amounts) {
    if (!name.ends_with(".energy")) continue;
    const auto power = amounts.find(name.substr(0, name.size() - 6) + "power");
    if (power == amounts.end() || energy.value <= 0.0) continue;
    std::printf(
        "  %s by its counter / by integrated power = %.4f (expect 1 within 2 %% on a steady "
        "load)\n",
        name.c_str(), energy.value / power->second.value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double duration = argc > 1 ? std::atof(argv[1]) : 5.0;
  const auto library = NvmlLibrary::open("libnvidia-ml.so.1");
  if (!library.ok()) {
    std::printf("%s\n  %s\n", library.error().message.c_str(), library.error().hint.c_str());
    return 1;
  }
  std::printf("driver %s\n", library.value()->driver_version().c_str());
  for (const Gpu& gpu : list_gpus(*library.value()).gpus) {
    std::printf("GPU %u: %s %s%s\n", gpu.index, gpu.name.c_str(), gpu.uuid.c_str(),
                gpu.is_mig ? " (MIG)" : "");
  }
  print_found(find_meters({}));
  measure("idle", duration, 100 * kNanosPerMillisecond);
  if (argc > 2) {
    const pid_t load = fork();
    if (load == 0) {
      setpgid(0, 0);
      execvp(argv[2], argv + 2);
      _exit(127);
    }
    pause_for(15.0);  // Frameworks take their time to start.
    for (const Gpu& gpu : list_gpus(*library.value()).gpus) {
      const auto processes = list_gpu_processes(*library.value(), gpu);
      if (!processes.ok()) {
        std::printf("processes: %s\n", processes.error().message.c_str());
        continue;
      }
      for (const GpuProcess& p : processes.value()) {
        std::printf("GPU %u: process %u, %.0f MB, SM %.0f %%\n", gpu.index, p.process,
                    static_cast<double>(p.memory_bytes.value_or(0)) / 1e6,
                    p.sm_percent.value_or(-1.0));
      }
    }
    measure("under load", duration, 100 * kNanosPerMillisecond);
    measure("under load, quick", duration, 10 * kNanosPerMillisecond);
    kill(-load, SIGKILL);
    waitpid(load, nullptr, 0);
  }
  return 0;
}
