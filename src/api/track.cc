#include "src/api/track.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "src/base/amounts.h"
#include "src/base/csv.h"
#include "src/base/environment.h"
#include "src/base/text.h"
#include "src/base/version.h"
#include "src/measure/meter/small_file.h"
#include "src/runs/profile/folder.h"
#include "src/runs/track/child.h"
#include "src/runs/track/epoch_socket.h"

namespace wattree {
namespace {

// "train.py" of "python -u train.py --lr 0.1".
std::string name_for(const TrackQuery& query) {
  if (!query.name.empty()) return query.name;
  if (query.command.empty()) return "process " + std::to_string(query.follow.value_or(0));
  for (const std::string& word : query.command) {
    const std::filesystem::path path(word);
    const std::string end = path.extension().string();
    if (end == ".py" || end == ".sh" || end == ".jl" || end == ".R")
      return path.filename().string();
  }
  return std::filesystem::path(query.command.front()).filename().string();
}

std::filesystem::path journal_for(const std::filesystem::path& folder, const std::string& name) {
  std::string time = to_string(
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()));
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return folder / (time + "-" + profile_id(name) + "-" + std::to_string(::getpid()) + ".journal");
}

void add_hardware(std::vector<HardwareEntry>& hardware, DeviceKind kind, const std::string& name,
                  int count) {
  for (HardwareEntry& entry : hardware) {
    if (entry.kind != kind || entry.name != name) continue;
    entry.count += count;
    return;
  }
  hardware.push_back({kind, name, count});
}

// GPUs by their meters, processors by /proc/cpuinfo.
std::vector<HardwareEntry> find_hardware(const Meters& meters,
                                         const std::filesystem::path& proc_root) {
  std::vector<HardwareEntry> out;
  std::set<std::string> devices;
  for (const auto& meter : meters) {
    const Description& d = meter->description();
    if (d.component != Component::kGpu || d.basis != Basis::kMeasured) continue;
    if (!devices.insert(d.device).second) continue;
    // "NVIDIA H200 GPU-1b2c…": the name, and then the one of its kind.
    add_hardware(out, DeviceKind::kGpu, d.device.substr(0, d.device.rfind(' ')), 1);
  }
  const std::string text = read_small(proc_root / "cpuinfo");
  std::string_view rest(text), line;
  std::string model;
  std::set<std::string, std::less<>> packages;
  while (take_line(rest, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon + 2 > line.size()) continue;
    const std::string_view value = line.substr(colon + 2);
    if (line.starts_with("model name") && model.empty()) model = value;
    if (line.starts_with("physical id")) packages.emplace(value);
  }
  if (!model.empty()) {
    add_hardware(out, DeviceKind::kCpu, model,
                 static_cast<int>(std::max<std::size_t>(1, packages.size())));
  }
  return out;
}

Error of_flag(const std::string& flag, Error error) {
  error.message = flag + ": " + error.message;
  return error;
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

Result<std::optional<EnergyBudget>> budget(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::optional<EnergyBudget>();
  const Result<Joules> energy = parse_energy(text);
  if (!energy.ok()) return of_flag(flag, energy.error());
  return std::optional<EnergyBudget>({energy.value(), text + " (" + flag + ")"});
}

// Region, intensity and PUE. What the user typed must be right; what was found must not stop a run.
Result<Setting> find_setting(const TrackQuery& query, std::vector<std::string>& notes) {
  const Result<Settings> read = read_settings(query.settings_files);
  if (!read.ok()) notes.push_back(read.error().message);
  const Settings settings = read.ok() ? read.value() : Settings{};
  const Place place = query.intensity.empty() ? find_place(query.region, query.environment,
                                                           settings, query.instance_data)
                                              : Place{};
  SettingQuery wanted;
  wanted.intensity = query.intensity;
  wanted.region = place.region;
  wanted.pue = query.pue;
  Result<Setting> setting = setting_of(wanted);
  if (!setting.ok() && !place.region.empty() && place.said_by != "--region") {
    notes.push_back(place.said_by + ": " + setting.error().message);
    wanted.region.clear();
    setting = setting_of(wanted);
  } else if (setting.ok() && !place.region.empty() && place.said_by != "--region") {
    notes.push_back("region " + setting.value().grid->region + ", from " + place.said_by);
  }
  if (!setting.ok()) return setting;
  Setting out = std::move(setting).value();
  if (!out.pue && !settings.pue.empty()) {
    const Result<Pue> pue = parse_pue(settings.pue);
    if (pue.ok()) {
      out.pue = pue.value();
      notes.push_back("PUE " + settings.pue + ", from " + settings.origin);
    } else {
      notes.push_back(settings.origin + ": " + pue.error().message);
    }
  }
  if (!out.grid) {
    notes.emplace_back(
        "CO2 is not shown: the region is not known. Name it with --region US-GA, WATTREE_REGION or "
        "\"region = US-GA\" in ~/.config/wattree/config; `wattree regions` lists them");
  }
  return out;
}

}  // namespace

Result<Seconds> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};
  const std::optional<double> number = parse_number(text.substr(0, digits));
  for (const auto& [name, length] : kUnits) {
    if (number && *number * length <= 1e6 && unit == name) return Seconds(*number * length);
  }
  return Error{ErrorCode::kInvalidInput, "\"" + std::string(text) + "\" is not a duration",
               "write it with its unit: 100ms, 5s, 2min"};
}

std::filesystem::path default_journal_folder(const Environment& environment) {
  const std::filesystem::path state = xdg_folder(XdgFolder::kState, environment);
  return state.empty() ? "wattree-journals" : state / "wattree/journals";
}

Result<TrackPlan> plan_track(TrackQuery query) {
  TrackPlan plan;
  TrackOptions& options = plan.options;
  if (query.command.empty() == !query.follow) {
    return Error{ErrorCode::kInvalidInput, "there must be either a command or --pid",
                 "wattree track -- python train.py"};
  }
  options.keeps_period = !query.period.empty();
  const Result<Seconds> period = parse_duration(options.keeps_period ? query.period : "100ms");
  if (!period.ok()) return of_flag("--period", period.error());
  if (period.value() < Seconds(1e-3) || period.value() > Seconds(60)) {
    return Error{ErrorCode::kInvalidInput, "--period must be from 1ms to 60s", ""};
  }
  options.period = static_cast<Nanos>(period.value().value * 1e9);
  for (const auto& [flag, text, target] : {std::tuple("--idle", &query.idle, &options.idle),
                                           std::tuple("--grace", &query.grace, &options.grace)}) {
    if (text->empty()) continue;
    const Result<Seconds> time = parse_duration(*text);
    if (!time.ok()) return of_flag(flag, time.error());
    *target = time.value();
  }
  const Result<std::optional<EnergyBudget>> warn = budget("--warn-above", query.warn_above);
  if (!warn.ok()) return warn.error();
  const Result<std::optional<EnergyBudget>> stop = budget("--stop-above", query.stop_above);
  if (!stop.ok()) return stop.error();
  options.warn_above = warn.value();
  options.stop_above = stop.value();
  if (!query.epoch_regex.empty()) {
    if (query.follow) {
      return Error{ErrorCode::kInvalidInput, "the output of a running process cannot be watched",
                   "leave out --epoch-regex, or start the command with wattree track"};
    }
    Result<LineMatcher> matcher = LineMatcher::compile(query.epoch_regex);
    if (!matcher.ok()) return matcher.error();
    options.epoch_lines = std::move(matcher).value();
    options.lines_begin_epochs = query.regex_begins;
  }
  for (const std::string& text : query.assumptions) {
    const Result<Assumption> assumption = parse_assumption(text);
    if (!assumption.ok()) return assumption.error();
    query.meters.assumptions.push_back(assumption.value());
  }
  Result<Setting> setting = find_setting(query, plan.notes);
  if (!setting.ok()) return setting.error();
  plan.setting = std::move(setting).value();

  Found found = find_meters(query.meters);
  RunBegun& run = options.run;
  run.hardware = find_hardware(found.meters, query.meters.proc_root);
  std::erase_if(found.meters, [](const auto& meter) { return !meter->description().is_counted; });
  options.meters = std::move(found.meters);
  run.job = find_job(query.environment, query.parent_process);
  // Processes of the same job are no others.
  if (run.job.empty()) options.notes = notes_on_others(found.processes, query.follow);
  plan.notes.insert(plan.notes.end(), options.notes.begin(), options.notes.end());
  plan.claims = std::make_unique<DeviceClaims>();
  const Result<std::filesystem::path> runtime = runtime_folder(query.environment);
  if (runtime.ok()) {
    options.runtime = runtime.value();
    options.claims = plan.claims.get();
    // For trackers that the command starts: they find the socket in their environment.
    const std::string below = "inside " + socket_address(runtime.value());
    plan.claims->claim(runtime.value(), below, options.meters);
    if (!run.job.empty()) {
      for (const CountedElsewhere& other :
           plan.claims->claim(runtime.value(), run.job, options.meters)) {
        plan.notes.push_back(other.meter + " is counted by PID " + std::to_string(other.process) +
                             " of the same job (" + run.job + "), until that one ends");
      }
    }
  } else {
    plan.notes.push_back(runtime.error().message + "; " + runtime.error().hint);
  }
  if (options.meters.empty()) {
    plan.notes.emplace_back(
        "no energy can be measured here, only time: `wattree meters` says why; --assume cpu=65W "
        "declares a power");
  }
  run.name = name_for(query);
  run.tool = std::string("wattree ") + kVersion;
  run.command = command_text(query.command);
  run.planned_epochs = query.epochs;
  run.pue = plan.setting.pue;
  if (plan.setting.grid) {
    run.region = plan.setting.grid->region;
    if (const auto* figure = std::get_if<CarbonIntensity>(&plan.setting.grid->intensity)) {
      run.intensity = RecordedIntensity{*figure, plan.setting.grid->basis, plan.setting.grid->by};
    }
  }
  options.command = std::move(query.command);
  options.environment = std::move(query.whole_environment);
  // A tracker inside a tracker has a socket of its own.
  std::erase_if(options.environment,
                [](const std::string& entry) { return entry.starts_with("WATTREE_TRACK="); });
  if (query.follow) options.follow = *query.follow;
  options.journal =
      journal_for(query.journal_folder.empty() ? default_journal_folder(query.environment)
                                               : query.journal_folder,
                  run.name);
  return plan;
}

}  // namespace wattree
