// A run as those who follow it see it: what it has taken so far, and will take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/runs/track/run.h"
#include "src/runs/whatif/setting.h"

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

// What it costs does not grow with the run.
RunStatus status_of(const TrackedRun& run, const Setting& setting);

}  // namespace wattree
