// A run as those who follow it see it: what it has taken so far, and will take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/track/run.h"
#include "src/runs/whatif/setting.h"

namespace wattree {

enum class RunState {
  kLive,
  kWaiting,  // A pause was asked for, and begins where the next epoch would.
  kPaused,
  kStale,    // Nothing was heard for seconds; its tracker may come back.
  kLost,     // Its tracker was killed: nothing more will be heard.
  kEnded,    // By itself, without an error that is known.
  kFailed,   // With an exit code that is not 0.
  kStopped,  // By the tracker: it took too much.
};
std::string_view name_of(RunState state);
std::optional<RunState> parse_run_state(std::string_view name);
// It is heard, and draws power.
inline bool is_live(RunState state) { return state < RunState::kStale; }
// Nothing more will happen.
inline bool is_over(RunState state) { return state >= RunState::kLost; }

struct RunStatus {
  std::string name;
  RunState state = RunState::kLive;
  std::string reason;  // Of the state, in words; empty where it goes without saying.
  Seconds elapsed;
  std::optional<Watts> power;  // Of the devices, over the last seconds.
  std::optional<Joules> device_energy;
  std::optional<Joules> energy;  // With PUE, where there is one.
  std::optional<GramsCo2e> emissions;
  Provenance basis;  // Of the energy.
  std::optional<Basis> emissions_basis;
  std::size_t epochs_ended = 0;
  std::string epoch;  // The one that is going on.
  std::optional<std::int64_t> planned_epochs;
  // Of all planned epochs, with what there was outside of them so far.
  std::optional<Estimate<Joules>> projected_energy;
  std::optional<Estimate<GramsCo2e>> projected_emissions;
  // Until all planned epochs are done.
  std::optional<Estimate<Seconds>> time_left;
  std::optional<std::int64_t> exit_code;
  // While the command stood: in the elapsed time and the energy, too.
  std::optional<TrackedRun::Standing> standing;
  // Since it was heard of; absent once it is over.
  std::optional<Seconds> silent;
};

// What it costs does not grow with the run.
RunStatus status_of(const TrackedRun& run, const Setting& setting);

}  // namespace wattree
