// Limits on what a run may take.
#pragma once

#include "src/runs/track/run_process.h"
#include "src/runs/track/run_recorder.h"
#include "src/runs/track/track_options.h"

namespace wattree {

// Warns once, asks the process to end once and, when the grace is over, ends it by force.
class Budget {
 public:
  // All must live longer.
  Budget(const TrackOptions& options, RunRecorder& recorder, RunProcess& process)
      : options_(options), recorder_(recorder), process_(process) {}

  // True where it has just asked the process to end.
  bool check(Nanos now);
  bool is_exceeded() const { return is_stopped_; }
  std::string reason() const;  // Why it was asked to end; empty where it was not.
  // The process has been asked to end, and is to be ended by force at `kill_at`.
  bool is_waiting() const { return is_stopped_ && !has_killed_; }
  Nanos kill_at() const { return kill_at_; }
  void end_by_force();

 private:
  const TrackOptions& options_;
  RunRecorder& recorder_;
  RunProcess& process_;
  bool has_warned_ = false, is_stopped_ = false, has_killed_ = false;
  Nanos kill_at_ = 0;
};

}  // namespace wattree
