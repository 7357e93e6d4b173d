#include <unistd.h>

#include <memory>
#include <ostream>

#include "src/api/runs/run_status.h"
#include "src/api/runs/track.h"
#include "src/base/in_quotes.h"
#include "src/cli/command.h"
#include "src/cli/live_line.h"
#include "src/cli/meter_flags.h"
#include "src/cli/run_server.h"
#include "src/cli/server_address.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/run_table.h"

namespace wattree {
namespace {

struct TrackFlags {
  TrackRequest request;
  MeterFlags meters;
  FolderFlag folder;
  std::string epoch_at = "end", live = "auto";
  std::optional<int> port;
  std::string address = "127.0.0.1";
  bool serve = false, quiet = false, is_public = false;
  std::optional<std::string> energyvis;
  std::uint16_t energyvis_port = 5000;
};

constexpr char kFooter[] =
    "Examples:\n"
    "  wattree track -- python train.py\n"
    "  wattree track --region US-GA --pue 1.2 --epochs 20 --epoch-regex 'epoch +(\\d+)' -- python "
    "train.py\n"
    "  wattree track --assume cpu=65W --stop-above 3kWh -o run.json -- torchrun train.py\n"
    "  wattree track --pid 4711\n"
    "  wattree track --serve --energyvis http://localhost:3000 --region US-GA -- python "
    "train.py\n\n"
    "The command runs as it does without wattree: same terminal, streams, signals and exit code.\n"
    "The exit code is 124 if --stop-above ended the command, and 126 or 127 if it could not be\n"
    "started. If measuring fails, the command goes on. Measurements are written to a file as they\n"
    "are made: `wattree profiles recover` finishes a run whose tracker was killed.\n"
    "See docs/tracking.md.\n";

// Where the run goes: files, servers, the terminal.
void add_outputs(CommandSyntax track, TrackFlags& flags) {
  TrackRequest& request = flags.request;
  track.add_option("-o,--output", request.output,
                   "Write the profile to this file [kept among `wattree profiles list`]");
  flags.folder.add_to(track);
  track.add_option(
      "--journal", request.journal,
      "Folder for the journal, which is kept after the run [$XDG_STATE_HOME/wattree/journals]");
  track.add_flag("--serve", flags.serve,
                 "Serve the run over HTTP on this machine, with the routes of `wattree serve`");
  track.add_option("--port", flags.port, "Port to serve on [any free one]").between(0, 65535);
  track
      .add_option("--address", flags.address,
                  "Numeric address to serve on, or unix:PATH; other machines' callers need a token")
      .show_default();
  track.add_flag("--public", flags.is_public,
                 "Callers from other machines may read without a token, and nothing else");
  track
      .add_option(
          "--energyvis", flags.energyvis,
          "Also serve it to EnergyVis's page at this origin, on port 5000 [http://localhost:3000]")
      .value_or("http://localhost:3000")
      .type_name("ORIGIN");
  track
      .add_option("--live", flags.live,
                  "Live line with power and energy: auto (on a terminal) or off")
      .one_of({"auto", "off"})
      .show_default();
  track.add_flag("-q,--quiet", flags.quiet,
                 "Print no summary and no notes; warnings and errors remain");
  // Not for users: tests need neither hardware nor a free port 5000.
  flags.meters.add_roots(track);
  track.add_option("--energyvis-port", flags.energyvis_port).hidden();
  track.add_option("--instance-data", request.instance_data).hidden();
}

CommandSyntax describe(CommandSyntax app, TrackFlags& flags) {
  TrackRequest& request = flags.request;
  const CommandSyntax track =
      app.add_subcommand("track", "Run a command and track its energy and CO2, epoch by epoch");
  track.usage("[OPTIONS] -- COMMAND [ARGUMENTS...]");
  track.footer(kFooter);
  track.add_option("--name", request.name, "Name of the run [the script's]");
  track.add_option("--region", request.region,
                   "Where it runs: a code or name of `wattree regions` [WATTREE_REGION, the "
                   "settings file, cloud-init's file]");
  track.add_option("--intensity", request.intensity, "Carbon intensity instead, such as 325.4g/kWh")
      .excludes("--region");
  track.add_option("--pue", request.pue,
                   "PUE: energy of the whole building per unit of its computers' energy, such as "
                   "1.2, or \"average\"");
  track.add_option("--price", request.price,
                   "USD per kWh: the summary shows what the energy costs, as assumed [no cost]");
  flags.meters.add_assume(track);
  track
      .add_option("--epochs", request.epochs, "Planned number of epochs: shows the projected total")
      .between(1, 1'000'000);
  track
      .add_option("--precision", request.precision,
                  "Precision that the run computes in; `wattree whatif --hardware` uses it")
      .one_of({"fp32", "tf32", "bf16", "fp16"});
  track.add_option("--epoch-regex", request.epoch_regex,
                   "Lines of output that match this mark an epoch: 'epoch +(\\d+)'");
  track
      .add_option("--epoch-at", flags.epoch_at,
                  "Whether such a line marks the end or the beginning of an epoch")
      .one_of({"end", "begin"})
      .show_default();
  track.add_option("--idle", request.idle,
                   "Measure idle power for this long before the command starts, such as 5s");
  track.add_option("--warn-above", request.warn_above,
                   "Warn when the run takes more than this: 2kWh");
  track.add_option("--stop-above", request.stop_above,
                   "Stop the command (SIGTERM, then SIGKILL) when it takes more than this: 3kWh");
  track.add_option("--grace", request.grace, "Time between SIGTERM and SIGKILL").show_default();
  track.add_option("--period", request.period,
                   "Time between two readings, 1ms to 60s [100ms; slow meters are read once a "
                   "second, and at once when an epoch begins or ends]");
  track.add_option("--pid", request.pid, "Follow a running process until it ends")
      .between(1, 1 << 30);
  add_outputs(track, flags);
  return track;
}

// As browsers send it: "http://localhost:3000". Any other text would fit no page, ever.
bool is_origin(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view host = text.substr(scheme + 3);
  return (text.starts_with("http://") || text.starts_with("https://")) && !host.empty() &&
         host.find_first_of("/?#@* \t\r\n") == std::string_view::npos;
}

TrackRequest request_of(const TrackFlags& flags, const Surroundings& world) {
  TrackRequest out = flags.request;
  out.command = world.command;
  out.environment = world.whole_environment;
  out.regex_begins = flags.epoch_at == "begin";
  out.assume = flags.meters.assumptions;
  out.folder = flags.folder.folder;
  return out;
}

// None where nobody asked for one.
Result<std::unique_ptr<RunServer>> start_server(const TrackFlags& flags, const TrackPlan& plan,
                                                const Services& services, TrackControl& control) {
  RunServerOptions options;
  if (flags.serve || flags.port) options.port = static_cast<std::uint16_t>(flags.port.value_or(0));
  options.address = flags.address;
  options.is_public = flags.is_public;
  if (const Status wrong = check_address(flags.address, flags.is_public, services); !wrong.ok()) {
    return wrong.error();
  }
  if (flags.energyvis) {
    if (!is_origin(*flags.energyvis)) {
      return Error{ErrorCode::kInvalidInput,
                   "--energyvis: " + in_quotes(*flags.energyvis) + " is not the origin of a page",
                   "write it as the browser does, without a path: http://localhost:3000",
                   "energyvis"};
    }
    const Result<std::string> state = energyvis_state(plan.options.run.region);
    if (!state.ok()) return state.error();
    options.energyvis_state = state.value();
    options.energyvis_origin = *flags.energyvis;
    options.energyvis_port = flags.energyvis_port;
  }
  if (!options.port && !options.energyvis_origin) return std::unique_ptr<RunServer>();
  return RunServer::start(options, entry_of(plan.options), services, control);
}

// What a user sees of a run while it goes on.
class RunView {
 public:
  RunView(const TrackFlags& flags, const TrackPlan& plan, RunServer* server, Surroundings& world)
      : setting_(plan.setting),
        is_quiet_(flags.quiet),
        server_(server),
        world_(world),
        is_live_(world.is_err_terminal && flags.live == "auto" && !flags.quiet),
        line_(STDERR_FILENO, !is_live_             ? LiveLine::Place::kNone
                             : plan.options.follow ? LiveLine::Place::kHere
                                                   : LiveLine::Place::kBottomRow) {}

  void say(const std::string& text) const {
    world_.err << "wattree: " << printable(text) << "\n" << std::flush;
  }
  void clear() { line_.clear(); }

  TrackObserver observer() {
    TrackObserver out;
    out.on_message = [this](const std::string& text) { say(text); };
    out.on_event = [this](const TrackedRun& run, TrackEvent event) { show(run, event); };
    if (server_ != nullptr) {
      out.on_record = [this](const Record& record) { server_->take(record); };
    }
    return out;
  }

 private:
  void show(const TrackedRun& run, TrackEvent event) {
    // When there is something to see there; quiet or not, an address that nobody knows is of no
    // use.
    if (server_ != nullptr && event == TrackEvent::kBegun) {
      for (const std::string& address : server_->addresses()) say("this run is at " + address);
      if (const std::string page = server_->page(); !page.empty() && !is_quiet_) {
        say("watch it in a browser at " + page);
        say("other accounts may pause it with " + page + server_->token_fragment());
      }
    }
    if (!is_live_ || event == TrackEvent::kBegun) return;
    const RunStatus status = status_of(run, setting_);
    line_.show([&](std::size_t columns) { return live_text(status, columns); });
  }

  const Setting setting_;
  const bool is_quiet_;
  RunServer* server_;
  Surroundings& world_;
  bool is_live_;
  LiveLine line_;
};

void show_end(const TrackAnswer& answer, const Setting& setting, const TrackFlags& flags,
              const RunView& view, Surroundings& world) {
  if (!answer.outcome.has_started) return;
  if (!flags.quiet) world.err << summary_text(answer.outcome.run, setting, world.flag_of);
  if (!answer.problem.empty()) {
    view.say(answer.problem);
  } else if (!flags.quiet) {
    view.say("profile: " + answer.profile.string());
  }
  world.err << std::flush;
}

int run(const TrackFlags& flags, Surroundings& world) {
  const Services services = flags.meters.services(world);
  Result<TrackPlan> planned = plan_track(request_of(flags, world), services);
  if (!planned.ok()) return fail(planned.error(), false, world);
  TrackPlan plan = std::move(planned).value();
  name_fields(plan, world.flag_of);
  TrackControl control;
  const Result<std::unique_ptr<RunServer>> server = start_server(flags, plan, services, control);
  if (!server.ok()) return fail(server.error(), false, world);
  RunView view(flags, plan, server.value().get(), world);
  if (!flags.quiet) {
    for (const std::string& note : plan.notes) view.say(note);
  }
  for (const std::string& warning : plan.warnings) view.say(warning);
  if (flags.energyvis) {
    for (const std::string& note : energyvis_card_notes(plan.options.run.hardware)) view.say(note);
  }
  const Setting setting = plan.setting;
  const Result<TrackAnswer> answer = run_track(std::move(plan), control, view.observer());
  view.clear();
  if (!answer.ok()) return fail(answer.error(), false, world);
  show_end(answer.value(), setting, flags, view, world);
  return answer.value().outcome.exit_code;
}

}  // namespace

Command track_command(CommandSyntax app) {
  auto flags = std::make_shared<TrackFlags>();
  const CommandSyntax track = describe(app, *flags);
  return {track, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
