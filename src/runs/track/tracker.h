// Tracks one run, from the first reading to the last.
//
// One thread waits for what happens (signals, epochs, a second gone by) and writes it down; the
// sampler reads the meters on its own. Nothing runs in the command's processes, and no error here
// reaches them: what cannot be measured is said, and the command goes on.
#pragma once

#include "src/base/result.h"
#include "src/runs/track/run.h"
#include "src/runs/track/run_recorder.h"
#include "src/runs/track/track_control.h"
#include "src/runs/track/track_options.h"

namespace wattree {

struct TrackOutcome {
  TrackedRun run;
  int exit_code = 0;        // For the tracker: the command's own, or kOverBudget.
  bool has_started = true;  // Otherwise there is no run to speak of.
};

// An error only where nothing was started.
Result<TrackOutcome> track_run(TrackOptions options, TrackControl& control,
                               const TrackObserver& observer);

}  // namespace wattree
