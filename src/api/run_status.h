// A run as those who follow it see it: the live line, the events, EnergyVis's front end.
#pragma once

#include <optional>
#include <string>

#include "src/api/setting.h"
#include "src/track/run.h"
#include "src/whatif/curve.h"

namespace wattree {

struct RunStatus {
  std::string name;
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
  bool is_paused = false, is_waiting = false;
  std::optional<RunEnded> ended;
};

RunStatus status_of(const TrackedRun& run, const Setting& setting);

// docs/schemas/run_status.schema.json
std::string to_json(const RunStatus& status);
// One epoch, from 0, as docs/schemas/run_epoch.schema.json has it.
std::string epoch_json(const TrackedRun& run, std::size_t epoch);

// What EnergyVis's front end asks its backend for; `state` is the full name of a US state.
std::string energyvis_setup(const TrackedRun& run, const std::string& state);
std::string energyvis_stats(const TrackedRun& run);
// The US state of a region; an error where it is in none, because EnergyVis's page has no other
// places.
Result<std::string> energyvis_state(const std::string& region);

}  // namespace wattree
