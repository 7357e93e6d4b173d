// What tracking costs: the tracker itself, and the command that is tracked. Runs the real program.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Cost {
  double wall = 0.0;  // Seconds
  double cpu = 0.0;   // Seconds, of the program and the children it has waited for
  double megabytes = 0.0;
  std::size_t bytes = 0;  // Of its output
  std::string text;       // Its beginning
};

// Runs a program and reads its output away.
Cost run(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto begun = std::chrono::steady_clock::now();
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  Cost cost;
  static char buffer[1 << 20];
  ssize_t got = 0;
  while ((got = ::read(ends[0], buffer, sizeof buffer)) > 0) {
    cost.bytes += static_cast<std::size_t>(got);
    if (cost.text.size() < 64)
      cost.text.append(buffer, static_cast<std::size_t>(std::min<ssize_t>(got, 64)));
  }
  ::close(ends[0]);
  int status = 0;
  rusage use{};
  ::wait4(process, &status, 0, &use);
  if (status != 0) std::abort();
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.cpu = seconds(use.ru_utime) + seconds(use.ru_stime);
  cost.megabytes = static_cast<double>(use.ru_maxrss) / 1024.0;
  return cost;
}

std::vector<std::string> tracked(const std::vector<std::string>& command,
                                 const std::vector<std::string>& options = {}) {
  std::vector<std::string> out{WATTREE_PROGRAM, "track",    "-q",     "-o",
                               "/dev/null",     "--assume", "cpu=65W"};
  out.insert(out.end(), options.begin(), options.end());
  out.emplace_back("--");
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// CPU time of the tracker while the command sleeps, as a share of one core; starting and ending,
// which a run does once, are measured with a command that does nothing and taken off.
void TrackerItself(benchmark::State& state) {
  const std::string period = std::to_string(state.range(0)) + "ms";
  std::vector<double> share, megabytes;
  for (auto _ : state) {
    const Cost start = run(tracked({"true"}, {"--period", period}));
    const Cost cost = run(tracked({"sleep", "3"}, {"--period", period}));
    share.push_back(100.0 * std::max(0.0, cost.cpu - start.cpu) / 3.0);
    megabytes.push_back(cost.megabytes);
  }
  state.counters["percent_of_a_core"] = median(share);
  state.counters["resident_MB"] = median(megabytes);
}
BENCHMARK(TrackerItself)->Arg(100)->Arg(10)->Iterations(1)->Unit(benchmark::kMillisecond);

// A loop of arithmetic, alternately alone and tracked: the ratio of the CPU times that it measures
// of itself. One is no cost.
void CpuBoundCommand(benchmark::State& state) {
  const std::vector<std::string> loop{"python3", "-c",
                                      "import time\n"
                                      "begun = time.process_time()\n"
                                      "sum(i * i for i in range(6000000))\n"
                                      "print(time.process_time() - begun)\n"};
  std::vector<double> alone, beside;
  for (auto _ : state) {
    alone.push_back(std::stod(run(loop).text));
    beside.push_back(std::stod(run(tracked(loop)).text));
  }
  state.counters["cpu_ratio"] = median(beside) / median(alone);
}
BENCHMARK(CpuBoundCommand)->Iterations(1)->Unit(benchmark::kMillisecond);

// Lines of eighty bytes as fast as they come: with nothing in between, and watched for epochs.
void OutputThroughput(benchmark::State& state) {
  const std::vector<std::string> print{
      "sh", "-c",
      "yes 'step 100 of 1000, loss 0.1234, learning rate 0.0001, and some more of it' | "
      "head -c 200000000"};
  std::vector<double> alone, beside;
  for (auto _ : state) {
    const Cost plain = run(print);
    const Cost watched = run(
        state.range(0) == 0 ? tracked(print) : tracked(print, {"--epoch-regex", "epoch (\\d+)"}));
    if (plain.bytes != watched.bytes) std::abort();
    alone.push_back(plain.wall);
    beside.push_back(watched.wall);
  }
  state.counters["wall_ratio"] = median(beside) / median(alone);
  state.counters["MB_per_s"] = 200.0 / median(beside);
}
BENCHMARK(OutputThroughput)->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
