#include "src/api/runs/track.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "src/api/measure/meters.h"
#include "src/api/runs/keep_run.h"
#include "src/api/runs/registered_run.h"
#include "src/api/runs/run_request.h"
#include "src/api/runs/track_setting.h"
#include "src/base/amounts.h"
#include "src/base/csv.h"
#include "src/base/error_field.h"
#include "src/base/text.h"
#include "src/base/version.h"
#include "src/runs/profile/folder.h"
#include "src/runs/store/profile_texts.h"
#include "src/runs/track/child.h"
#include "src/runs/track/command_secrets.h"
#include "src/runs/track/epoch_socket.h"
#include "src/runs/track/machine.h"

namespace wattree {
namespace {

// "train.py" of "python -u train.py --lr 0.1".
std::string name_for(const TrackRequest& request) {
  if (!request.name.empty()) return request.name;
  if (request.command.empty()) return "process " + std::to_string(request.pid.value_or(0));
  for (const std::string& word : request.command) {
    const std::filesystem::path path(word);
    const std::string end = path.extension().string();
    if (end == ".py" || end == ".sh" || end == ".jl" || end == ".R")
      return path.filename().string();
  }
  return std::filesystem::path(request.command.front()).filename().string();
}

std::filesystem::path journal_for(const std::filesystem::path& folder, const std::string& name) {
  std::string time = to_string(
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()));
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return folder / (time + "-" + profile_id(name) + "-" + std::to_string(::getpid()) + ".journal");
}

// GPUs that others are at work on: what those take cannot be told apart.
std::vector<std::string> notes_on_others(const std::vector<GpuProcess>& processes,
                                         std::optional<pid_t> followed) {
  std::map<std::string, std::vector<std::string>> others;
  for (const GpuProcess& process : processes) {
    if (followed && process.process == static_cast<std::uint32_t>(*followed)) continue;
    others[process.gpu].push_back(std::to_string(process.process));
  }
  std::vector<std::string> out;
  for (const auto& [gpu, numbers] : others) {
    out.push_back(gpu + " is in use by others (process " + join(numbers) +
                  "): what they take is in the figures, too");
  }
  return out;
}

// A GPU that is divided has one meter for all of its instances.
std::vector<std::string> notes_on_shared(const Meters& meters) {
  std::vector<std::string> out;
  for (const auto& meter : meters) {
    if (!meter->description().is_shared) continue;
    out.push_back(meter->description().name +
                  " is the whole board's, not one MIG instance's: what the other instances take is "
                  "in the figures, too");
  }
  return out;
}

Result<std::optional<EnergyBudget>> budget(const std::string& field, const std::string& text) {
  if (text.empty()) return std::optional<EnergyBudget>();
  const Result<Joules> energy = parse_energy(text);
  if (!energy.ok()) return in_field(field, energy.error());
  return std::optional<EnergyBudget>({energy.value(), text + " (<" + field + ">)"});
}

Status plan_times(const TrackRequest& request, TrackOptions& options) {
  options.keeps_period = !request.period.empty();
  const Result<Seconds> period = parse_duration(options.keeps_period ? request.period : "100ms");
  if (!period.ok()) return in_field("period", period.error());
  if (period.value() < Seconds(1e-3) || period.value() > Seconds(60)) {
    return Error{ErrorCode::kInvalidInput, "<period> must be from 1ms to 60s", "", "period"};
  }
  options.period = static_cast<Nanos>(period.value().value * 1e9);
  struct Time {
    const char* field;
    const std::string& text;
    Seconds& target;
  };
  for (const Time& time :
       {Time{"idle", request.idle, options.idle}, Time{"grace", request.grace, options.grace}}) {
    if (time.text.empty()) continue;
    const Result<Seconds> parsed = parse_duration(time.text);
    if (!parsed.ok()) return in_field(time.field, parsed.error());
    time.target = parsed.value();
  }
  return {};
}

Status plan_budgets(const TrackRequest& request, TrackOptions& options) {
  const Result<std::optional<EnergyBudget>> warn = budget("warn_above", request.warn_above);
  if (!warn.ok()) return warn.error();
  const Result<std::optional<EnergyBudget>> stop = budget("stop_above", request.stop_above);
  if (!stop.ok()) return stop.error();
  options.warn_above = warn.value();
  options.stop_above = stop.value();
  if (options.warn_above) options.run.warn_above = options.warn_above->most;
  if (options.stop_above) options.run.stop_above = options.stop_above->most;
  return {};
}

Status plan_epoch_lines(const TrackRequest& request, TrackOptions& options) {
  if (request.epoch_regex.empty()) return {};
  if (request.pid) {
    return Error{ErrorCode::kInvalidInput, "the output of a running process cannot be watched",
                 "leave out <epoch_regex>, or start the command with wattree track", "epoch_regex"};
  }
  Result<LineMatcher> matcher = LineMatcher::compile(request.epoch_regex);
  if (!matcher.ok()) return of_field("epoch_regex", matcher.error());
  options.epoch_lines = std::move(matcher).value();
  options.lines_begin_epochs = request.regex_begins;
  return {};
}

// Each device is counted by one of the trackers of a job.
void claim_meters(const Environment& environment, TrackPlan& plan) {
  TrackOptions& options = plan.options;
  plan.claims = std::make_unique<DeviceClaims>();
  const Result<std::filesystem::path> runtime = runtime_folder(environment);
  if (!runtime.ok()) {
    plan.notes.push_back(runtime.error().message + "; " + runtime.error().hint);
    return;
  }
  options.runtime = runtime.value();
  options.claims = plan.claims.get();
  // For trackers that the command starts: they find the socket in their environment.
  plan.claims->claim(runtime.value(), "inside " + socket_address(runtime.value()), options.meters);
  const std::string& job = options.run.job;
  if (job.empty()) return;
  for (const CountedElsewhere& other : plan.claims->claim(runtime.value(), job, options.meters)) {
    plan.notes.push_back(other.meter + " is counted by PID " + std::to_string(other.process) +
                         " of the same job (" + job + "), until that one ends");
  }
}

// What the GPUs' power is held to, as far as it is told.
std::optional<Watts> power_limit(const Meters& meters) {
  std::optional<Watts> out;
  for (const auto& meter : meters) {
    if (meter->description().signal != Signal::kPowerLimit) continue;
    const Sample sample = meter->read();
    if (sample.absence == Absence::kNone) out = out.value_or(Watts()) + Watts(sample.level);
  }
  return out;
}

void plan_meters(const TrackRequest& request, const MeterQuery& query,
                 const Environment& environment, TrackPlan& plan) {
  TrackOptions& options = plan.options;
  Found found = find_meters(query);
  options.run.hardware = find_hardware(found.meters, query.proc_root);
  options.run.power_limit = power_limit(found.meters);
  std::erase_if(found.meters, [](const auto& meter) { return !meter->description().is_counted; });
  options.meters = std::move(found.meters);
  options.run.job = find_job(environment, ::getppid());
  // Processes of the same job are no others.
  if (options.run.job.empty()) options.notes = notes_on_others(found.processes, request.pid);
  for (std::string& note : notes_on_shared(options.meters)) {
    options.notes.push_back(std::move(note));
  }
  plan.notes.insert(plan.notes.end(), options.notes.begin(), options.notes.end());
  claim_meters(environment, plan);
  if (options.meters.empty()) {
    plan.notes.emplace_back(
        "no energy can be measured here, only time: `wattree meters` says why; <assume> cpu=65W "
        "declares a power");
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// What is known of the run before it begins.
void describe_run(const TrackRequest& request, const Setting& setting, RunBegun& run) {
  run.name = name_for(request);
  run.tool = std::string("wattree ") + kVersion;
  run.command = command_text(without_secrets(request.command));
  run.host = host_name();
  run.planned_epochs = request.epochs;
  run.precision = request.precision;
  run.pue = setting.pue;
  if (!setting.grid) return;
  run.region = setting.grid->region;
  if (const auto* figure = std::get_if<CarbonIntensity>(&setting.grid->intensity)) {
    run.intensity = RecordedIntensity{*figure, setting.grid->basis, setting.grid->by};
  }
}

void plan_command(const TrackRequest& request, TrackOptions& options) {
  options.command = request.command;
  options.environment = request.environment;
  // A tracker inside a tracker has a socket of its own.
  std::erase_if(options.environment,
                [](const std::string& entry) { return entry.starts_with("WATTREE_TRACK="); });
  if (request.pid) options.follow = *request.pid;
}

void plan_files(const TrackRequest& request, const Services& services, TrackPlan& plan) {
  plan.output = request.output;
  plan.folder = profile_folder(request.folder, services);
  plan.runs = services.runs;
  plan.keeps_journal = !request.journal.empty();
  plan.options.journal =
      journal_for(plan.keeps_journal ? request.journal : services.journals, plan.options.run.name);
  if (const auto obstacle = obstacle_to(plan.output)) {
    plan.warnings.push_back(*obstacle + ": the profile cannot be written to " +
                            plan.output.string() + " unless that changes before the run ends");
  }
}

}  // namespace

Result<TrackPlan> plan_track(const TrackRequest& request, const Services& services) {
  if (request.command.empty() == !request.pid) {
    return Error{ErrorCode::kInvalidInput, "there must be either a command or <pid>",
                 "wattree track -- python train.py", "pid"};
  }
  if (request.output == "-") {
    return Error{
        ErrorCode::kInvalidInput, "<output> - would be standard output, which is the command's",
        "name a file, or leave it out: the profile is then kept among the others", "output"};
  }
  if (const Status failure = check_length(request.name); !failure.ok()) return failure.error();
  TrackPlan plan;
  for (const auto part : {plan_times, plan_budgets, plan_epoch_lines}) {
    if (const Status failure = part(request, plan.options); !failure.ok()) return failure.error();
  }
  const Result<MeterQuery> meters = with_assumptions(services.meters, request.assume);
  if (!meters.ok()) return meters.error();
  Result<Setting> setting = track_setting(request, services.environment, plan);
  if (!setting.ok()) return setting.error();
  plan.setting = std::move(setting).value();
  plan_meters(request, meters.value(), services.environment, plan);
  describe_run(request, plan.setting, plan.options.run);
  plan_command(request, plan.options);
  plan_files(request, services, plan);
  return plan;
}

void name_fields(TrackPlan& plan, const FieldName& name) {
  for (auto* texts : {&plan.notes, &plan.warnings}) {
    for (std::string& text : *texts) text = with_fields_named(text, name);
  }
  for (auto* budget : {&plan.options.warn_above, &plan.options.stop_above}) {
    if (*budget) (*budget)->text = with_fields_named((*budget)->text, name);
  }
}

Result<TrackAnswer> run_track(TrackPlan plan, TrackControl& control,
                              const TrackObserver& observer) {
  const std::filesystem::path journal = plan.options.journal;
  RegisteredRun registered(plan.runs, entry_of(plan.options), observer);
  const TrackObserver all = registered.observer();
  Result<TrackOutcome> outcome = track_run(std::move(plan.options), control, all);
  if (!outcome.ok()) return outcome.error();
  TrackAnswer out{std::move(outcome).value(), {}, {}};
  const auto forget_journal = [&] {
    std::error_code ignored;
    if (!plan.keeps_journal) std::filesystem::remove(journal, ignored);
  };
  if (!out.outcome.has_started) {
    registered.withdraw();
    forget_journal();
    return out;
  }
  const Profile profile = out.outcome.run.profile();
  const Result<std::filesystem::path> kept = keep_profile(profile, plan.output, plan.folder);
  registered.finish(out.outcome.run, kept.ok() ? kept.value() : std::filesystem::path());
  if (kept.ok()) {
    forget_journal();
    out.profile = kept.value();
  } else {
    out.problem = kept.error().message + "; " + other_way(profile, journal);
  }
  return out;
}

}  // namespace wattree
