// What a run is to be tracked with.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/meter/meter.h"
#include "src/runs/track/job.h"
#include "src/runs/track/line_matcher.h"
#include "src/runs/track/record.h"

namespace wattree {

struct EnergyBudget {
  Joules most;
  std::string text;  // As the user gave it: "2kWh (--warn-above)".
};

struct TrackOptions {
  RunBegun run;   // Name, place and plan; what is found out (meters, times) is filled in.
  Meters meters;  // Those that are counted, here or by another tracker of the same job.
  // Says which of them another one counts, until it ends; without it, none. Outlives the run.
  DeviceClaims* claims = nullptr;
  Nanos period = 100 * kNanosPerMillisecond;
  bool keeps_period = false;  // Also of meters that are slow to answer, whatever that costs.
  std::vector<std::string> command;
  std::vector<std::string> environment;  // Of the command: "NAME=value".
  std::optional<pid_t> follow;           // A running process instead of a command.
  std::optional<LineMatcher> epoch_lines;
  bool lines_begin_epochs = false;  // A line stands at an epoch's beginning, not at its end.
  Seconds idle;                     // To measure before the command begins; none by default.
  // Of the energy, PUE included where it is given.
  std::optional<EnergyBudget> warn_above, stop_above;
  Seconds grace{10};               // Between the request to end and the end by force.
  std::filesystem::path journal;   // Empty: none.
  std::filesystem::path runtime;   // Folder for the socket; empty: none.
  std::vector<std::string> notes;  // What is known before: for the profile.
};

// Exit code of a run that was stopped because it took too much; timeout(1) has the same.
inline constexpr int kOverBudget = 124;

}  // namespace wattree
