#include "src/runs/track/status.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace wattree {
namespace {

constexpr std::array<std::string_view, 8> kStateNames{
    "live", "waiting", "paused", "stale", "lost", "ended", "failed", "stopped"};  // As RunState.

// As a shell has it, a code above 128 is a signal's.
std::string exit_text(std::int64_t code) {
  const std::string text = "exit code " + std::to_string(code);
  const char* name = code > 128 ? ::sigabbrev_np(static_cast<int>(code - 128)) : nullptr;
  return name != nullptr ? text + ", SIG" + name : text;
}

std::optional<GramsCo2e> emitted(Joules energy, const Setting& setting) {
  if (!setting.grid) return std::nullopt;
  const auto* intensity = std::get_if<CarbonIntensity>(&setting.grid->intensity);
  if (intensity == nullptr) return std::nullopt;
  return energy * *intensity;
}

// What the run will have taken at its planned end.
std::optional<Estimate<Joules>> project(const TrackedRun& run) {
  const auto planned = run.begun().planned_epochs;
  const std::vector<EpochMeasured>& epochs = run.epochs();
  if (!planned || epochs.empty() || run.ended()) return std::nullopt;
  const auto done = static_cast<std::int64_t>(epochs.size());
  if (*planned <= done) return std::nullopt;
  const EpochSums& sums = run.epoch_sums();
  const Ahead ahead = sums.energy_at(static_cast<std::size_t>(*planned - done));
  const Joules inside = sums.energy();
  // What came before the epochs and between them. What the epoch that is going on has taken so far
  // is in the totals too, and not outside.
  Joules outside = run.energy().value_or(Joules()) - inside;
  const double since = seconds(run.totals().at - epochs.back().ended);
  if (since > 0) outside = outside - run.power().value_or(Watts()) * Seconds(since);
  outside = std::max(outside, Joules());
  // Nor less than there is already: an epoch that goes on may take more than those before it.
  const Joules so_far = std::max(run.energy().value_or(Joules()), inside);
  Estimate<Joules> out{std::max(Joules(ahead.value) + outside, so_far), std::nullopt, std::nullopt};
  if (ahead.low) out.low = std::max(Joules(*ahead.low) + outside, so_far);
  if (ahead.high) out.high = std::max(Joules(*ahead.high) + outside, so_far);
  return out;
}

// How long the planned epochs that are left will take.
std::optional<Estimate<Seconds>> time_left(const TrackedRun& run) {
  const auto planned = run.begun().planned_epochs;
  const std::vector<EpochMeasured>& epochs = run.epochs();
  if (!planned || epochs.empty() || run.ended()) return std::nullopt;
  const auto done = static_cast<std::int64_t>(epochs.size());
  if (*planned <= done) return std::nullopt;
  const EpochSums& sums = run.epoch_sums();
  if (!sums.has_durations()) return std::nullopt;
  const Ahead ahead = sums.duration_at(static_cast<std::size_t>(*planned - done));
  // Less what the epoch that is going on has had already.
  const double begun = sums.duration().value + seconds(run.last() - epochs.back().ended);
  const auto left = [&](double whole) { return Seconds(std::max(whole - begun, 0.0)); };
  Estimate<Seconds> out{left(ahead.value), std::nullopt, std::nullopt};
  if (ahead.low) out.low = left(*ahead.low);
  if (ahead.high) out.high = left(*ahead.high);
  return out;
}

// As the records tell it; whether the tracker is still there, they do not say.
void add_state(const TrackedRun& run, RunStatus& out) {
  const std::string at_epoch = " at epoch " + std::to_string(run.epochs_ended() + 1);
  if (const auto& ended = run.ended()) {
    out.exit_code = ended->exit_code;
    out.state = !ended->stopped.empty()             ? RunState::kStopped
                : ended->exit_code.value_or(0) != 0 ? RunState::kFailed
                                                    : RunState::kEnded;
    out.reason = ended->stopped;
    if (out.state == RunState::kFailed) out.reason = exit_text(*ended->exit_code);
  } else if (run.pause() == PauseState::kStanding) {
    out.state = RunState::kPaused;
    out.reason = run.epochs_ended() > 0 || run.open_epoch() ? "paused" + at_epoch : "paused";
  } else if (run.pause() == PauseState::kAsked) {
    out.state = RunState::kWaiting;
    out.reason = "it pauses where the next epoch would begin";
  }
}

}  // namespace

std::string_view name_of(RunState state) { return kStateNames.at(static_cast<std::size_t>(state)); }

std::optional<RunState> parse_run_state(std::string_view name) {
  const auto found = std::find(kStateNames.begin(), kStateNames.end(), name);
  if (found == kStateNames.end()) return std::nullopt;
  return static_cast<RunState>(found - kStateNames.begin());
}

RunStatus status_of(const TrackedRun& run, const Setting& setting) {
  RunStatus out;
  out.name = run.begun().name;
  out.elapsed = run.duration();
  out.power = run.power();
  out.device_energy = run.energy();
  out.epochs_ended = run.epochs_ended();
  if (const auto open = run.open_epoch()) out.epoch = open->name;
  out.planned_epochs = run.begun().planned_epochs;
  out.time_left = time_left(run);
  out.standing = run.standing();
  add_state(run, out);
  bool is_first = true;
  for (const MeterEnergy& part : run.totals().meters) {
    const auto index = static_cast<std::size_t>(part.meter);
    if (index >= run.begun().meters.size()) continue;
    const Provenance& basis = run.begun().meters[index].provenance;
    out.basis = is_first ? basis : of_sum(out.basis, basis);
    is_first = false;
  }
  if (!out.device_energy) return out;
  const double pue = setting.pue ? setting.pue->value : 1.0;
  if (setting.pue) out.basis = facility_provenance(out.basis, *setting.pue);
  out.energy = *out.device_energy * pue;
  out.emissions = emitted(*out.energy, setting);
  if (out.emissions) {
    out.emissions_basis = emissions_provenance(out.basis, *setting.grid).basis;
  }
  if (auto projected = project(run)) {
    projected->value = projected->value * pue;
    if (projected->low) projected->low = *projected->low * pue;
    if (projected->high) projected->high = *projected->high * pue;
    out.projected_energy = projected;
    if (const auto mass = emitted(projected->value, setting)) {
      Estimate<GramsCo2e> estimate{*mass, std::nullopt, std::nullopt};
      if (projected->low) estimate.low = emitted(*projected->low, setting);
      if (projected->high) estimate.high = emitted(*projected->high, setting);
      out.projected_emissions = estimate;
    }
  }
  return out;
}

}  // namespace wattree
