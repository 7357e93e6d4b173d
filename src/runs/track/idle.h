// What the machine takes while the command does not run yet.
#pragma once

#include <optional>

#include "src/runs/track/run_meters.h"
#include "src/runs/track/signals.h"

namespace wattree {

struct IdleOutcome {
  std::optional<IdleMeasured> measured;  // Absent where nothing was to be measured.
  std::optional<int> interrupted;        // The exit code where a signal came in between.
};
IdleOutcome measure_idle(Seconds duration, RunMeters& meters, const SignalWatch& signals);

}  // namespace wattree
