#include "src/cli/measure_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <map>

#include "src/api/open_executor.h"
#include "src/api/track.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

// A signal handler reaches nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  if (interrupted != 0) ::_exit(kInterrupted);
  interrupted = 1;
}

std::int64_t seconds_since_1970() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
      .count();
}

std::string left_text(const SessionProgress& p) {
  const auto left = static_cast<int>(p.left_s);
  const std::string time =
      left >= 60 ? fmt::format("{}:{:02} min", left / 60, left % 60) : fmt::format("{} s", left);
  return fmt::format("{}/{}, {} left, {}", p.done, p.jobs, time, p.doing);
}

}  // namespace

void describe_measuring(CLI::App& command, MeasureFlags& flags) {
  MeasureQuery& query = flags.query;
  command.add_option("--device", flags.device,
                     "cpu, cuda or cuda:1 [cuda where the framework has it, or else cpu]");
  CLI::Option* budget =
      command.add_option("--budget", flags.budget,
                         "Take no longer than this (90s, 10min); what tells most comes first");
  if (!flags.budget.empty()) budget->capture_default_str();
  command.add_option("--cache", query.caches,
                     "What nodes find in the cache: in_place, cold, warm, or several of them; the "
                     "first is what counts [in_place]");
  command.add_option("--execution", query.execution,
                     "graph, or eager: every kernel launched by itself [graph]");
  command.add_option("--protocol", query.protocol,
                     "wattree, or irene: five rounds of 20 s with rest in between [wattree]");
  command.add_option("--node-limit", query.node_limit_s,
                     "Most seconds for one measurement [5; irene 20 a round]");
  command.add_option("--standby", query.standby_w,
                     "Watts: begin when the device draws no more than this [when it rests]");
  command.add_option("--seed", query.seed, "Of the random order [1]");
  command.add_flag("--allow-load", query.allow_load,
                   "Go on although others use the machine; windows are marked then");
  command.add_flag("--no-anchor", query.without_anchor,
                   "Do not measure BERT-base every minute to see whether a GPU drifts");
  command.add_flag("--no-pauses", query.without_pauses,
                   "Measure nodes at the power cap only so, and not with rest in between too");
  command.add_option("--torch-plugin", flags.plugin,
                     "What runs nodes: libwattree-torch.so, by tools/build_torch_plugin [looked "
                     "for beside the program]");
  flags.meters.add_roots(command);
}

Result<MeasureQuery> measuring(const MeasureFlags& flags, Surroundings& world, ProgressBar& bar) {
  MeasureQuery query = flags.query;
  if (!flags.budget.empty()) {
    const Result<Seconds> budget = parse_duration(flags.budget);
    if (!budget.ok()) return budget.error();
    query.budget_s = budget.value().value;
  }
  query.meters = flags.meters.query(world);
  query.process = ::getpid();
  query.is_stopped = &Interrupts::is_wanted;
  query.seconds_since_1970 = &seconds_since_1970;
  query.show = [&bar](const SessionProgress& p) {
    bar.show(p.jobs > 0 ? static_cast<double>(p.done) / static_cast<double>(p.jobs) : 0.0,
             left_text(p));
  };
  ExecutorQuery executor;
  executor.device = flags.device;
  executor.plugin = flags.plugin;
  std::error_code ignored;
  executor.program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  query.open_executor = [executor] { return open_executor(executor); };
  return query;
}

Interrupts::Interrupts() {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Interrupts::~Interrupts() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool Interrupts::is_wanted() { return interrupted != 0; }

std::string ending_text(const SessionResult& session, std::size_t reused) {
  std::string out = fmt::format("measured {} window{} in {:.0f} s", session.measured,
                                session.measured == 1 ? "" : "s", session.duration_s);
  if (reused > 0) out += fmt::format(", {} were there already", reused);
  switch (session.ending) {
    case Ending::kDone: break;
    case Ending::kBudget: out += "; the time was up"; break;
    case Ending::kInterrupted: out += "; interrupted: --resume goes on"; break;
    case Ending::kLost: out += "; the device is lost: " + session.lost.message; break;
  }
  out += "\n";
  if (!session.machine.device.note.empty()) out += session.machine.device.note + "\n";
  if (session.discarded_blocks > 0) {
    out += fmt::format("the anchor moved {} times: what was measured before was thrown out\n",
                       session.discarded_blocks);
  }
  // Alike reasons in one row.
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Skipped& skipped : session.skipped) {
    reasons[skipped.why].push_back(skipped.scope.empty() ? "the whole model" : skipped.scope);
  }
  for (const auto& [why, scopes] : reasons) {
    out += fmt::format("not measured ({}): {}", scopes.size(), scopes.front());
    for (std::size_t i = 1; i < scopes.size() && i < 4; ++i) out += ", " + scopes[i];
    out += fmt::format("{}: {}\n", scopes.size() > 4 ? ", …" : "", why);
  }
  return out;
}

std::string energy_text(const MachineFacts& machine, const std::vector<Obstacle>& obstacles) {
  if (!machine.meters.empty()) return "";
  std::string out = "no energy: nothing here measures it; times and use were recorded\n";
  for (const Obstacle& obstacle : obstacles) {
    out += fmt::format("  {}: {}\n", obstacle.what, obstacle.why);
  }
  return out;
}

int exit_code_of(const SessionResult& session) {
  if (session.ending == Ending::kLost) return meaning_of(session.lost.code).exit_code;
  if (session.ending == Ending::kInterrupted) return kInterrupted;
  return 0;
}

}  // namespace wattree
