#include "src/api/runs/run_detail.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "src/api/runs/footprint.h"
#include "src/api/runs/recover.h"
#include "src/api/runs/run_request.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/profile/read.h"
#include "src/runs/whatif/thin.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostPoints = 20'000;

// The epochs of a run that is followed, and of one that is a profile by now.
class TrackedEpochs {
 public:
  explicit TrackedEpochs(const TrackedRun& run) : run_(run) {}
  std::size_t size() const { return run_.epochs().size(); }
  EpochAmount amount(std::size_t i) const {
    const EpochMeasured& epoch = run_.epochs()[i];
    if (epoch.is_untimed) return {sum_of(epoch.meters), std::nullopt, false};
    return {sum_of(epoch.meters), Seconds(seconds(epoch.ended - epoch.begun)),
            epoch.begun <= run_.begun().at};
  }
  EpochRow row(std::size_t i) const {
    const EpochMeasured& epoch = run_.epochs()[i];
    EpochRow out;
    out.name = epoch.name;
    if (!epoch.is_untimed) {
      out.begin = Seconds(seconds(epoch.begun - run_.begun().at));
      out.duration = Seconds(seconds(epoch.ended - epoch.begun));
    }
    if (epoch.meters.empty()) return out;
    out.energy = out.low = out.high = Joules();
    for (const MeterEnergy& part : epoch.meters) {
      *out.energy = *out.energy + part.energy;
      *out.low = *out.low + part.low;
      *out.high = *out.high + part.high;
    }
    return out;
  }

 private:
  const TrackedRun& run_;
};

class ProfileEpochs {
 public:
  ProfileEpochs(const Profile& profile, UtcTime begun) : profile_(profile), begun_(begun) {}
  std::size_t size() const { return profile_.epochs.size(); }
  EpochAmount amount(std::size_t i) const {
    const Epoch& epoch = profile_.epochs[i];
    return {device_energy(epoch).value_or(Joules()), epoch.duration, epoch.has_startup};
  }
  EpochRow row(std::size_t i) const {
    const Epoch& epoch = profile_.epochs[i];
    EpochRow out;
    out.name = std::to_string(i + 1);
    out.duration = epoch.duration;
    if (epoch.start) {
      out.begin = Seconds(std::chrono::duration<double>(*epoch.start - begun_).count());
    }
    out.energy = device_energy(epoch);
    if (!out.energy) return out;
    Joules doubt;
    for (const ComponentEnergy& part : epoch.energy) {
      doubt = doubt + part.uncertainty.value_or(Joules());
    }
    out.low = std::max(*out.energy - doubt, Joules());
    out.high = *out.energy + doubt;
    return out;
  }

 private:
  const Profile& profile_;
  UtcTime begun_;
};

template <class Epochs>
void add_epochs(const Epochs& epochs, std::size_t points, RunAnswer& out) {
  std::vector<EpochAmount> amounts;
  std::vector<double> energies, sums;
  amounts.reserve(epochs.size());
  double sum = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    amounts.push_back(epochs.amount(i));
    energies.push_back(amounts.back().energy.value);
    sums.push_back(sum += energies.back());
  }
  out.epochs_in_all = epochs.size();
  out.flags = flag_excess(amounts);
  for (const std::size_t i : thinned(energies, points)) {
    EpochRow row = epochs.row(i);
    row.number = i + 1;
    row.so_far = Joules(sums[i]);
    out.epochs.push_back(std::move(row));
  }
}

void add_tracked(const TrackedRun& run, std::size_t points, RunAnswer& out) {
  add_epochs(TrackedEpochs(run), points, out);
  if (run.energy()) {
    out.outside = std::max(*run.energy() - run.epoch_sums().energy(), Joules());
  }
  out.meters = run.begun().meters;
  for (const auto& [name, steps] : run.steps()) {
    out.steps.push_back({name, steps.count, steps.duration, steps.energy, std::nullopt});
    if (steps.energy) out.steps.back().uncertainty = (steps.high - steps.low) * 0.5;
  }
  for (const RunNote& note : run.notes()) out.notes.push_back(note.text);
}

void add_profile(const Profile& profile, std::size_t points, RunAnswer& out) {
  add_epochs(ProfileEpochs(profile, out.run.brief.begun), points, out);
  out.outside = outside_energy(profile);
  for (const std::string& name : component_names(profile)) {
    for (const Epoch* window : windows_of(profile)) {
      const auto part =
          std::find_if(window->energy.begin(), window->energy.end(),
                       [&](const ComponentEnergy& energy) { return energy.component == name; });
      if (part == window->energy.end()) continue;
      out.meters.push_back({name, "", part->kind, part->provenance});
      break;
    }
  }
  out.steps = profile.steps;
  out.notes = split(profile.notes, '\n');
}

// As whoever asks may see it.
Result<Profile> shown(Result<Profile> profile, const Services& services) {
  if (!profile.ok() || services.shows_private) return profile;
  Profile out = std::move(profile).value();
  out.notes = without_command(out.notes);
  return out;
}

// A run that is over and of which only the brief is in memory.
Result<Profile> kept_profile(const LiveRun& run) {
  const RunEntry entry = run.entry();
  if (!entry.profile.empty()) {
    Result<ReadProfile> read = read_profile_file(entry.profile);
    if (read.ok()) return std::move(read).value().profile;
  }
  Result<RecoveredRun> recovered = recover_run(entry.journal);
  if (recovered.ok()) return std::move(recovered).value().profile;
  return Error{ErrorCode::kNotFound, "the profile of this run is no longer where it was written",
               "it was moved or deleted after the run"};
}

Result<Profile> profile_by(const std::string& id, const Services& services,
                           Profile (TrackedRun::*made)() const) {
  const Result<LiveRuns*> live = live_runs(services);
  if (!live.ok()) return live.error();
  const Result<std::shared_ptr<LiveRun>> found = live.value()->find(id);
  if (!found.ok()) return found.error();
  std::optional<Profile> out;
  found.value()->look([&](const TrackedRun& run, const PowerTrace&) { out = (run.*made)(); });
  return shown(out ? Result<Profile>(*std::move(out)) : kept_profile(*found.value()), services);
}

void write_epochs(JsonWriter& out, const std::vector<EpochRow>& epochs) {
  out.key("epochs");
  out.begin_array();
  for (const EpochRow& epoch : epochs) {
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(epoch.number));
    out.field("name", epoch.name);
    if (epoch.begin) out.field("begin_s", epoch.begin->value);
    if (epoch.duration) out.field("duration_s", epoch.duration->value);
    if (epoch.energy) {
      out.field("device_energy_j", epoch.energy->value);
      out.field("device_energy_low_j", epoch.low->value);
      out.field("device_energy_high_j", epoch.high->value);
    }
    out.field("device_energy_so_far_j", epoch.so_far.value);
    out.end_object();
  }
  out.end_array();
}

void write_meters(JsonWriter& out, const std::vector<RunMeter>& meters) {
  out.key("components");
  out.begin_array();
  for (const RunMeter& meter : meters) {
    out.begin_object();
    out.field("component", meter.name);
    if (!meter.device.empty()) out.field("device", meter.device);
    out.field("kind", name_of(meter.kind));
    out.key("basis");
    write_json(out, meter.provenance);
    out.end_object();
  }
  out.end_array();
}

void write_steps(JsonWriter& out, const std::vector<StepEnergy>& steps) {
  out.key("steps");
  out.begin_array();
  for (const StepEnergy& step : steps) {
    out.begin_object();
    out.field("name", step.name);
    out.field("count", step.count);
    out.field("duration_s", step.duration.value);
    if (step.energy) out.field("energy_j", step.energy->value);
    if (step.uncertainty) out.field("uncertainty_j", step.uncertainty->value);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

Result<RunRequest> run_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  RunRequest out;
  out.id = fields.text("id", true);
  out.points = static_cast<std::size_t>(fields.whole("points", 4, kMostPoints).value_or(500));
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<RunAnswer> run(const RunRequest& request, const Services& services) {
  const Result<LiveRuns*> live = live_runs(services);
  if (!live.ok()) return live.error();
  const Result<std::shared_ptr<LiveRun>> found = live.value()->find(request.id);
  if (!found.ok()) return found.error();
  const LiveRun& run = *found.value();
  RunAnswer out;
  out.run = listed(run, request.points, services);
  const bool is_here = run.look([&](const TrackedRun& tracked, const PowerTrace&) {
    add_tracked(tracked, request.points, out);
  });
  if (is_here || !is_over(out.run.brief.status.state)) return out;
  const Result<Profile> profile = shown(kept_profile(run), services);
  if (profile.ok()) {
    add_profile(profile.value(), request.points, out);
  } else {
    out.notes.push_back(profile.error().message);
  }
  return out;
}

Result<Profile> run_profile(const std::string& id, const Services& services) {
  return profile_by(id, services, &TrackedRun::profile);
}

Result<Profile> run_profile_so_far(const std::string& id, const Services& services) {
  return profile_by(id, services, &TrackedRun::profile_so_far);
}

Result<std::string> run_profile_json(const std::string& id, const Services& services) {
  const Result<Profile> profile = run_profile(id, services);
  if (!profile.ok()) return profile.error();
  return write_profile_json(profile.value(), 0);
}

std::string to_json(const RunAnswer& answer) {
  JsonWriter out;
  out.begin_object();
  write_listed(out, answer.run);
  out.field("epochs_in_all", static_cast<std::int64_t>(answer.epochs_in_all));
  write_epochs(out, answer.epochs);
  out.key("flags");
  out.begin_array();
  for (const FlaggedEpoch& flag : answer.flags) {
    out.begin_object();
    out.field("epoch", static_cast<std::int64_t>(flag.index + 1));
    write_flag(out, flag);
    out.end_object();
  }
  out.end_array();
  if (answer.outside) out.field("outside_energy_j", answer.outside->value);
  write_meters(out, answer.meters);
  write_steps(out, answer.steps);
  out.field("notes", answer.notes);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
