// A run's entry in the registry: written when it begins, and again when it has ended.
#pragma once

#include <filesystem>
#include <optional>

#include "src/runs/live/power_trace.h"
#include "src/runs/live/run_registry.h"
#include "src/runs/track/run_recorder.h"
#include "src/runs/track/track_options.h"

namespace wattree {

// The entry of a run that this process is about to track.
RunEntry entry_of(const TrackOptions& options);

// Stands between the tracker and whoever observes it.
class RegisteredRun {
 public:
  // An empty folder: the run is not listed. `observer` must live longer.
  RegisteredRun(std::filesystem::path folder, RunEntry entry, const TrackObserver& observer)
      : folder_(std::move(folder)), entry_(std::move(entry)), observer_(observer) {}

  TrackObserver observer();
  // The run has ended, and its profile is there (empty: nowhere).
  void finish(const TrackedRun& run, const std::filesystem::path& profile);
  // Nothing was started.
  void withdraw();

 private:
  void take(const Record& record);
  void write();

  std::filesystem::path folder_;
  RunEntry entry_;
  const TrackObserver& observer_;
  std::optional<PowerTrace> trace_;
  bool is_failure_told_ = false;
};

}  // namespace wattree
