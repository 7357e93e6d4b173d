// Tracks one run, from the first reading to the last.
//
// One thread waits for what happens (signals, epochs, a second gone by) and writes it down; the
// sampler reads the meters on its own. Nothing runs in the command's processes, and no error here
// reaches them: what cannot be measured is said, and the command goes on.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/meter.h"
#include "src/runs/track/job.h"
#include "src/runs/track/line_matcher.h"
#include "src/runs/track/run.h"

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

// Pause and resume, from any thread.
class TrackControl {
 public:
  TrackControl();
  TrackControl(const TrackControl&) = delete;
  TrackControl& operator=(const TrackControl&) = delete;
  ~TrackControl();

  // Takes effect when the next epoch would begin; to resume, at once.
  void set_paused(bool is_paused);
  bool is_paused() const { return is_paused_.load(); }
  bool is_waiting() const { return is_waiting_.load(); }  // The command does wait.

  int descriptor() const { return wake_; }  // For the tracker.
  void set_waiting(bool is_waiting) { is_waiting_.store(is_waiting); }

 private:
  std::atomic<bool> is_paused_{false}, is_waiting_{false};
  int wake_ = -1;
};

enum class TrackEvent { kBegun, kTotals, kEpoch, kState, kEnded };

// Called on the tracker's thread, after what is told is in the journal. To be quick.
struct TrackObserver {
  std::function<void(const Record&)> on_record;  // Every record, before the event that tells of it.
  std::function<void(const TrackedRun&, TrackEvent)> on_event;
  std::function<void(const std::string&)> on_message;  // For the user, once each.
};

struct TrackOutcome {
  TrackedRun run;
  int exit_code = 0;        // For the tracker: the command's own, or kOverBudget.
  bool has_started = true;  // Otherwise there is no run to speak of.
};

// An error only where nothing was started.
Result<TrackOutcome> track_run(TrackOptions options, TrackControl& control,
                               const TrackObserver& observer);

}  // namespace wattree
