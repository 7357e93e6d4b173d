// What tracking costs: the tracker itself, and the command that is tracked. Runs the real program.
//
// CPU time is what the kernel counts for a process, in nanoseconds; where two programs are compared
// they take turns, so that whatever else the machine does happens to both.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Words = std::vector<std::string>;

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

pid_t start(const Words& words, int out) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    if (out >= 0) ::dup2(out, STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  return process;
}

struct Cost {
  double wall = 0.0;      // Seconds, up to the end of its output
  double cpu = 0.0;       // Seconds, of the program and the children it has waited for
  std::size_t bytes = 0;  // Of its output
  std::string text;       // Its beginning
};

// Runs a program and reads its output away.
Cost run(const Words& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const auto begun = std::chrono::steady_clock::now();
  const pid_t process = start(words, ends[1]);
  ::close(ends[1]);
  Cost cost;
  static char buffer[1 << 20];
  ssize_t got = 0;
  while ((got = ::read(ends[0], buffer, sizeof buffer)) > 0) {
    cost.bytes += static_cast<std::size_t>(got);
    if (cost.text.size() < 64) {
      cost.text.append(buffer, static_cast<std::size_t>(std::min<ssize_t>(got, 64)));
    }
  }
  ::close(ends[0]);
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  int status = 0;
  rusage use{};
  ::wait4(process, &status, 0, &use);
  if (status != 0) std::abort();
  cost.cpu = seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
  return cost;
}

// A server's two packages and their memory, as the kernel's powercap files show them: four counters
// that are read as real ones are, and do not move.
class Counters {
 public:
  Counters() {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/wattree-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
    for (const std::string package : {"0", "1"}) {
      zone("intel-rapl:" + package, "package-" + package, "262143328850");
      zone("intel-rapl:" + package + ":0", "dram", "65712999613");
    }
    std::filesystem::create_directory(root_ / "proc");
    write(root_ / "proc/cpuinfo", "model name\t: Two packages\n");
    write(root_ / "proc/stat", "cpu  1 1 1 1 1 1 1 0 0 0\n");
    write(root_ / "proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\n");
  }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Words flags() const {
    return {"--sys-root", (root_ / "sys").string(), "--proc-root", (root_ / "proc").string()};
  }

 private:
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  void zone(const std::string& id, const std::string& name, const std::string& range) {
    const auto folder = root_ / "sys/class/powercap" / id;
    std::filesystem::create_directories(folder);
    write(folder / "name", name + "\n");
    write(folder / "max_energy_range_uj", range + "\n");
    write(folder / "energy_uj", "1000000\n");
  }
  std::filesystem::path root_;
};

Words tracked(const Words& command, const Words& options) {
  Words out{WATTREE_PROGRAM, "track", "-q", "-o", "/dev/null"};
  out.insert(out.end(), options.begin(), options.end());
  out.emplace_back("--");
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

double cpu_seconds_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0.0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double resident_megabytes_of(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// A program's CPU time over some seconds, from one second after its start, as a share of one core.
struct Share {
  double percent = 0.0, megabytes = 0.0;
};
Share watch(const Words& words, double for_seconds) {
  const pid_t process = start(words, -1);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double before = cpu_seconds_of(process);
  std::this_thread::sleep_for(std::chrono::duration<double>(for_seconds));
  const Share out{100.0 * (cpu_seconds_of(process) - before) / for_seconds,
                  resident_megabytes_of(process)};
  ::kill(process, SIGTERM);
  ::waitpid(process, nullptr, 0);
  return out;
}

// The tracker while the command waits, or keeps every core busy; the arguments are the period in
// milliseconds and which of the two.
void TrackerItself(benchmark::State& state) {
  const Counters counters;
  Words options = counters.flags();
  options.insert(options.end(), {"--period", std::to_string(state.range(0)) + "ms"});
  // Each ends by itself, soon after it is no longer watched.
  const Words busy{
      "sh", "-c",
      "for core in $(seq $(nproc)); do timeout 6.2 sh -c 'while :; do :; done' & done; "
      "wait"};
  Share share;
  for (auto _ : state) {
    share = watch(tracked(state.range(1) == 0 ? Words{"sleep", "30"} : busy, options), 5.0);
  }
  state.counters["percent_of_a_core"] = share.percent;
  state.counters["resident_MB"] = share.megabytes;
}
BENCHMARK(TrackerItself)
    ->Args({100, 0})
    ->Args({100, 1})
    ->Args({10, 0})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// For comparison: what it takes on this machine to wake up that often and do nothing.
void WakingUp(benchmark::State& state) {
  const timespec pause{0, state.range(0) * 1'000'000};
  const long count = 5'000 / state.range(0);
  double percent = 0.0;
  for (auto _ : state) {
    const double before = cpu_seconds_of(::getpid());
    for (long i = 0; i < count; ++i) ::nanosleep(&pause, nullptr);
    percent = 100.0 * (cpu_seconds_of(::getpid()) - before) / 5.0;
  }
  state.counters["percent_of_a_core"] = percent;
}
BENCHMARK(WakingUp)->Arg(100)->Iterations(1)->Unit(benchmark::kMillisecond);

// Arithmetic, alternately alone, tracked, and alone again: the CPU time that it measures of itself.
// One is no cost; how far the two that are alone are apart is the noise.
void CpuBoundCommand(benchmark::State& state) {
  const Counters counters;
  const Words loop{"python3", "-c",
                   "import time\n"
                   "begun = time.process_time()\n"
                   "sum(i * i for i in range(6000000))\n"
                   "print(time.process_time() - begun)\n"};
  constexpr int kRounds = 7;
  std::vector<double> tracked_ratio, noise;
  for (auto _ : state) {
    for (int i = 0; i < kRounds; ++i) {
      const double before = std::stod(run(loop).text);
      const double beside = std::stod(run(tracked(loop, counters.flags())).text);
      const double after = std::stod(run(loop).text);
      tracked_ratio.push_back(2.0 * beside / (before + after));
      noise.push_back(std::max(before, after) / std::min(before, after));
    }
  }
  state.counters["cpu_ratio"] = median(tracked_ratio);
  state.counters["noise_ratio"] = median(noise);
}
BENCHMARK(CpuBoundCommand)->Iterations(1)->Unit(benchmark::kMillisecond);

// Lines of eighty bytes as fast as they come, untracked and watched for epochs in turns. The time
// from the start to the end of the output, less that of a command that prints nothing.
void OutputThroughput(benchmark::State& state) {
  const auto print = [](const std::string& bytes) {
    return Words{"sh", "-c",
                 "yes 'step 100 of 1000, loss 0.1234, learning rate 0.0001, and some more of it' | "
                 "head -c " +
                     bytes};
  };
  const Counters counters;
  Words options = counters.flags();
  if (state.range(0) == 1) options.insert(options.end(), {"--epoch-regex", "epoch (\\d+)"});
  constexpr int kRounds = 7;
  std::vector<double> alone, beside, alone_cpu, beside_cpu;
  const auto add = [](std::vector<double>& wall, std::vector<double>& cpu, const Cost& cost,
                      const Cost& start) {
    if (cost.bytes != 200'000'000) std::abort();
    wall.push_back(cost.wall - start.wall);
    cpu.push_back(cost.cpu - start.cpu);
  };
  for (auto _ : state) {
    for (int i = 0; i < kRounds; ++i) {
      add(alone, alone_cpu, run(print("200000000")), run(print("1")));
      add(beside, beside_cpu, run(tracked(print("200000000"), options)),
          run(tracked(print("1"), options)));
    }
  }
  state.counters["wall_ratio"] = median(beside) / median(alone);
  state.counters["cpu_ratio"] = median(beside_cpu) / median(alone_cpu);
  state.counters["MB_per_s"] = 200.0 / median(beside);
}
BENCHMARK(OutputThroughput)->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

// How much later a command begins, and how much later whoever waits for it goes on.
void StartAndEnd(benchmark::State& state) {
  const Counters counters;
  constexpr int kRounds = 15;
  std::vector<double> alone, beside;
  for (auto _ : state) {
    for (int i = 0; i < kRounds; ++i) {
      alone.push_back(run({"true"}).wall);
      beside.push_back(run(tracked({"true"}, counters.flags())).wall);
    }
  }
  state.counters["more_ms"] = 1e3 * (median(beside) - median(alone));
}
BENCHMARK(StartAndEnd)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
