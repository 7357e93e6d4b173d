#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "src/api/export.h"
#include "src/api/profiles.h"
#include "src/api/run_status.h"
#include "src/api/track.h"
#include "src/base/file.h"
#include "src/base/in_quotes.h"
#include "src/cli/command.h"
#include "src/cli/live_line.h"
#include "src/cli/meter_flags.h"
#include "src/cli/run_server.h"
#include "src/cli/shared_flags.h"
#include "src/report/table/run_table.h"

namespace wattree {
namespace {

struct TrackFlags {
  TrackQuery query;
  MeterFlags meters;
  FolderFlag folder;
  std::string output, journal, epoch_at = "end", live = "auto";
  std::optional<int> port;
  bool serve = false, quiet = false;
  std::optional<std::string> energyvis;
  std::uint16_t energyvis_port = 5000;
  std::string instance_data = "/run/cloud-init/instance-data.json";
};

constexpr char kFooter[] =
    "Usage: wattree track [OPTIONS] -- COMMAND [ARGUMENTS...]\n\n"
    "Examples:\n"
    "  wattree track -- python train.py\n"
    "  wattree track --region US-GA --pue 1.2 --epochs 20 --epoch-regex 'epoch +(\\d+)' -- python "
    "train.py\n"
    "  wattree track --assume cpu=65W --stop-above 3kWh -o run.json -- torchrun train.py\n"
    "  wattree track --pid 4711\n"
    "  wattree track --serve --energyvis http://localhost:3000 --region US-GA -- python "
    "train.py\n\n"
    "The command runs as without wattree: same terminal, streams, signals and exit code; 124 where "
    "--stop-above\n"
    "ended it, 126 or 127 where it could not be started. Whatever goes wrong with measuring, it "
    "goes on.\n"
    "What is measured is written down as it happens: `wattree profiles recover` finishes a run "
    "whose tracker died.\n"
    "See docs/tracking.md.\n";

CLI::App* describe(CLI::App& app, TrackFlags& flags) {
  TrackQuery& query = flags.query;
  CLI::App* track =
      app.add_subcommand("track", "Run a command and track its energy and CO2, epoch by epoch");
  track->footer(kFooter);
  track->add_option("--name", query.name, "Name of the run [the script's]");
  track->add_option("--region", query.region,
                    "Where it runs: a code or name of `wattree regions` [WATTREE_REGION, the "
                    "settings file, cloud-init's file]");
  track->add_option("--intensity", query.intensity, "Carbon intensity instead, such as 325.4g/kWh")
      ->excludes("--region");
  track->add_option("--pue", query.pue,
                    "What the building takes for each unit of the computers': 1.2, or \"average\"");
  flags.meters.add_assume(*track);
  track->add_option("--epochs", query.epochs, "Planned number of epochs: shows the projected total")
      ->check(CLI::Range(1, 1'000'000));
  track->add_option("--epoch-regex", query.epoch_regex,
                    "A line of the output that matches tells of an epoch: 'epoch +(\\d+)'");
  track->add_option("--epoch-at", flags.epoch_at, "What such a line stands at: end or begin")
      ->check(CLI::IsMember({"end", "begin"}))
      ->capture_default_str();
  track->add_option("--idle", query.idle,
                    "Measure idle power for so long before the command begins, such as 5s");
  track->add_option("--warn-above", query.warn_above, "Warn when it takes more than this: 2kWh");
  track->add_option("--stop-above", query.stop_above,
                    "End the command (SIGTERM, then SIGKILL) when it takes more than this: 3kWh");
  track->add_option("--grace", query.grace, "Time between SIGTERM and SIGKILL")
      ->capture_default_str();
  track->add_option("--period", query.period,
                    "Between two readings, 1ms to 60s [100ms; of meters that are slow to answer up "
                    "to 1s, but at once where an epoch begins or ends]");
  track->add_option("--pid", query.follow, "Follow a running process until it ends")
      ->check(CLI::Range(1, 1 << 30));
  track->add_option("-o,--output", flags.output,
                    "Write the profile to this file [kept among `wattree profiles list`]");
  flags.folder.add_to(*track);
  track->add_option("--journal", flags.journal,
                    "Folder of the journal, which is then kept [$XDG_STATE_HOME/wattree/journals]");
  track->add_flag("--serve", flags.serve,
                  "Serve the run on this machine: events, profile so far, pause and resume");
  track->add_option("--port", flags.port, "The port for that [any that is free]")
      ->check(CLI::Range(0, 65535));
  track
      ->add_option("--energyvis", flags.energyvis,
                   "Serve it for EnergyVis's page too, on port 5000, for the page at this origin "
                   "alone [http://localhost:3000]")
      ->expected(0, 1)
      ->default_str("http://localhost:3000")
      ->type_name("ORIGIN");
  track
      ->add_option(
          "--live", flags.live,
          "The line that shows power and energy while it runs: auto (on a terminal) or off")
      ->check(CLI::IsMember({"auto", "off"}))
      ->capture_default_str();
  track->add_flag("-q,--quiet", flags.quiet, "No summary and no notes");
  // Not for users: tests need neither hardware nor a free port 5000.
  flags.meters.add_roots(*track);
  track->add_option("--energyvis-port", flags.energyvis_port)->group("");
  track->add_option("--instance-data", flags.instance_data)->group("");
  return track;
}

// Where the profile is; an error where it could not be written.
Result<std::string> keep_profile(const Profile& profile, const TrackFlags& flags,
                                 const Surroundings& world) {
  if (!flags.output.empty()) {
    if (const Status failure = write_file(flags.output, to_json(profile)); !failure.ok()) {
      return failure.error();
    }
    return flags.output;
  }
  const auto folder = flags.folder.path(world);
  const Result<std::string> id = save_profile(folder, profile);
  if (!id.ok()) return id.error();
  return (folder / (id.value() + ".json")).string();
}

// As browsers send it: "http://localhost:3000". Any other text would fit no page, ever.
bool is_origin(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view host = text.substr(scheme + 3);
  return (text.starts_with("http://") || text.starts_with("https://")) && !host.empty() &&
         host.find_first_of("/?#@* \t\r\n") == std::string_view::npos;
}

// What will be in the way of writing the profile, as far as that can be known before. No reason not
// to run: the journal has everything.
std::optional<std::string> obstacle_to(const std::filesystem::path& output) {
  std::error_code ignored;
  const std::filesystem::path folder = output.parent_path();
  if (std::filesystem::is_directory(output, ignored)) return output.string() + " is a folder";
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return std::nullopt;
  return "there is no folder " + folder.string();
}

// How to get a profile that could not be written: from the journal or, where there is none either,
// from the folder for temporary files.
std::string other_way(const TrackedRun& tracked, const std::filesystem::path& journal) {
  std::error_code failed;
  if (std::filesystem::exists(journal, failed)) {
    return "`wattree profiles recover " + journal.string() + "` makes the profile again";
  }
  const std::filesystem::path file =
      std::filesystem::temp_directory_path(failed) / journal.filename().replace_extension(".json");
  if (failed || !write_file(file, to_json(tracked.profile())).ok()) return "the profile is lost";
  return "the profile is in " + file.string();
}

int run(TrackFlags& flags, Surroundings& world) {
  const auto say = [&](const std::string& text) {
    world.err << "wattree: " << text << "\n" << std::flush;
  };
  TrackQuery query = flags.query;
  query.command = world.command;
  query.regex_begins = flags.epoch_at == "begin";
  query.journal_folder = flags.journal;
  query.meters = flags.meters.query(world);
  query.assumptions = flags.meters.assumptions;
  query.environment = world.environment;
  query.whole_environment = world.whole_environment;
  query.settings_files = settings_files(world.environment);
  query.instance_data = flags.instance_data;
  query.parent_process = ::getppid();
  Result<TrackPlan> planned = plan_track(std::move(query));
  if (!planned.ok()) return fail(planned.error(), false, world);
  TrackPlan plan = std::move(planned).value();

  TrackControl control;
  std::unique_ptr<RunServer> server;
  if (flags.serve || flags.port || flags.energyvis) {
    RunServerOptions options;
    if (flags.serve || flags.port)
      options.port = static_cast<std::uint16_t>(flags.port.value_or(0));
    if (flags.energyvis) {
      if (!is_origin(*flags.energyvis)) {
        return fail({ErrorCode::kInvalidInput,
                     "--energyvis: " + in_quotes(*flags.energyvis) + " is not the origin of a page",
                     "write it as the browser does, without a path: http://localhost:3000"},
                    false, world);
      }
      const Result<std::string> state = energyvis_state(plan.options.run.region);
      if (!state.ok()) return fail(state.error(), false, world);
      options.energyvis_state = state.value();
      options.energyvis_origin = *flags.energyvis;
      options.energyvis_port = flags.energyvis_port;
    }
    Result<std::unique_ptr<RunServer>> started = RunServer::start(options, plan.setting, control);
    if (!started.ok()) return fail(started.error(), false, world);
    server = std::move(started).value();
  }
  if (!flags.quiet) {
    for (const std::string& note : plan.notes) say(note);
  }
  if (const auto obstacle = obstacle_to(flags.output)) {
    say(*obstacle + ": the profile cannot be written to " + flags.output +
        " unless that changes before the run ends");
  }
  const bool is_live = world.is_err_terminal && flags.live == "auto" && !flags.quiet;
  LiveLine line(STDERR_FILENO, !is_live              ? LiveLine::Place::kNone
                               : plan.options.follow ? LiveLine::Place::kHere
                                                     : LiveLine::Place::kBottomRow);
  TrackObserver observer;
  observer.on_message = say;
  observer.on_event = [&](const TrackedRun& tracked, TrackEvent event) {
    if (server) server->update(tracked, event);
    // When there is something to see there; quiet or not, an address that nobody knows is of no
    // use.
    if (server && event == TrackEvent::kBegun) {
      for (const std::string& address : server->addresses()) say("this run is at " + address);
    }
    if (!is_live || event == TrackEvent::kBegun) return;
    RunStatus status = status_of(tracked, plan.setting);
    status.is_paused = control.is_paused();
    status.is_waiting = control.is_waiting();
    line.show(live_text(status));
  };
  const std::filesystem::path journal = plan.options.journal;
  const Result<TrackOutcome> outcome = track_run(std::move(plan.options), control, observer);
  line.clear();
  if (!outcome.ok()) return fail(outcome.error(), false, world);
  const auto forget_journal = [&] {
    std::error_code ignored;
    if (flags.journal.empty()) std::filesystem::remove(journal, ignored);
  };
  if (!outcome.value().has_started) {
    forget_journal();
    return outcome.value().exit_code;
  }
  if (!flags.quiet) world.err << summary_text(outcome.value().run, plan.setting);
  const Result<std::string> kept = keep_profile(outcome.value().run.profile(), flags, world);
  if (kept.ok()) {
    forget_journal();
    if (!flags.quiet) say("profile: " + kept.value());
  } else {
    say(kept.error().message + "; " + other_way(outcome.value().run, journal));
  }
  world.err << std::flush;
  return outcome.value().exit_code;
}

}  // namespace

Command track_command(CLI::App& app) {
  auto flags = std::make_shared<TrackFlags>();
  CLI::App* track = describe(app, *flags);
  return {track, [flags](Surroundings& world) { return run(*flags, world); }};
}

}  // namespace wattree
