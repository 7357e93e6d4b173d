#include "src/cli/measure_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "src/api/runs/track.h"
#include "src/base/amounts.h"
#include "src/base/error_field.h"

namespace wattree {
namespace {

// A signal handler reaches nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  if (interrupted != 0) ::_exit(kInterrupted);
  interrupted = 1;
}

std::string left_text(const SessionProgress& p) {
  const auto left = static_cast<int>(p.left_s);
  const std::string time =
      left >= 60 ? fmt::format("{}:{:02} min", left / 60, left % 60) : fmt::format("{} s", left);
  return fmt::format("{}/{}, {} left, {}", p.done, p.jobs, time, p.doing);
}

}  // namespace

void describe_measuring(CommandSyntax command, MeasureFlags& flags) {
  MeasureRequest& request = flags.request;
  command.add_option("--device", request.device,
                     "cpu, cuda or cuda:1 [cuda where the framework has it, or else cpu]");
  const CommandOption budget = command.add_option(
      "--budget", flags.budget,
      "Stop after this time (90s, 10min); the most informative measurements come first");
  if (!flags.budget.empty()) budget.show_default();
  command
      .add_option("--cache", request.cache,
                  "State of the device's cache before each node, or several: in_place,cold; the "
                  "first one counts [in_place]")
      .offers({"in_place", "cold", "warm"});
  command
      .add_option("--execution", request.execution,
                  "How kernels start: back to back, or each launched by the host [graph]")
      .offers({"graph", "eager"});
  command
      .add_option("--protocol", request.protocol,
                  "How to measure; irene takes five rounds of 20 s with rests between [wattree]")
      .offers({"wattree", "irene"});
  command.add_option("--node-limit", flags.node_limit_s,
                     "Longest time for one measurement, in seconds [5; irene 20 per round]");
  command.add_option("--standby", flags.standby_w,
                     "Wait until the device draws no more than this many watts [until it rests]");
  command.add_option("--seed", request.seed, "Seed of the random order [1]");
  command.add_flag(
      "--allow-load", request.allow_load,
      "Measure even while other programs use the machine; the measurements are marked");
  command.add_flag(
      "--no-anchor", request.no_anchor,
      "Skip the measurement of BERT-base every minute that shows whether a GPU drifts");
  command.add_flag(
      "--no-pauses", request.no_pauses,
      "Measure nodes that reach the power cap once only, not a second time with pauses");
  command.add_option("--torch-plugin", request.torch_plugin,
                     "The plugin that runs nodes: libwattree-torch.so, made by "
                     "tools/build_torch_plugin [looked for beside the program]");
  flags.meters.add_roots(command);
}

Result<MeasureRequest> request_of(const MeasureFlags& flags) {
  MeasureRequest out = flags.request;
  out.node_limit = Seconds(flags.node_limit_s);
  if (flags.standby_w) out.standby = Watts(*flags.standby_w);
  if (flags.budget.empty()) return out;
  const Result<Seconds> budget = parse_duration(flags.budget);
  if (!budget.ok()) return in_field("budget", budget.error());
  out.budget = budget.value();
  return out;
}

Services services_of(const MeasureFlags& flags, const Surroundings& world) {
  Services out = world.services;
  out.meters = flags.meters.query(world);
  return out;
}

MeasureHost measure_host(ProgressBar& bar) {
  MeasureHost out;
  std::error_code ignored;
  out.program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  out.is_stopped = &Interrupts::is_wanted;
  out.show = [&bar](const SessionProgress& p) {
    bar.show(p.jobs > 0 ? static_cast<double>(p.done) / static_cast<double>(p.jobs) : 0.0,
             left_text(p));
  };
  return out;
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

std::string ending_text(const Campaign& campaign) {
  const SessionResult& session = campaign.session;
  std::string out = fmt::format("measured {} window{} in {:.0f} s", session.measured,
                                session.measured == 1 ? "" : "s", session.duration.value);
  if (campaign.reused > 0) out += fmt::format(", {} were there already", campaign.reused);
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

std::string energy_text(const Campaign& campaign) {
  if (!campaign.session.machine.meters.empty()) return "";
  std::string out = "no energy: nothing here measures it; times and use were recorded\n";
  for (const Obstacle& obstacle : campaign.obstacles) {
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
