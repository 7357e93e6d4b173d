// A run as those who follow it see it: the live line, the events, EnergyVis's front end.
#pragma once

#include <string>

#include "src/runs/live/run_json.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/track/followed_run.h"
#include "src/runs/track/status.h"

namespace wattree {

// The profile so far, as docs/schemas/profile.schema.json has it.
std::string profile_json(const TrackedRun& run);

// What EnergyVis's front end asks its backend for; `state` is the full name of a US state.
std::string energyvis_setup(const TrackedRun& run, const std::string& state, bool is_paused);
std::string energyvis_stats(const TrackedRun& run);

}  // namespace wattree
