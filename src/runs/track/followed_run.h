// A run that the tracker tells of while others look at it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "src/runs/track/run.h"

namespace wattree {

// Followers have a run of their own, made from the same records as the tracker's: what an event
// costs depends on what has happened since the last one, not on how long the run is. The tracker
// never waits for somebody who looks: meanwhile, records queue up.
class FollowedRun {
 public:
  // On the tracker's thread. Nobody sees the record before the next publish().
  void take(const Record& record) { taken_.push_back(record); }
  void publish();

  // Shows the run as it was published last; false where it has not begun. On any thread.
  bool look(const std::function<void(const TrackedRun&)>& show) const;

 private:
  void catch_up() const;  // With run_mutex_ held.

  std::vector<Record> taken_;  // The tracker's thread alone.
  mutable std::mutex queue_mutex_;
  mutable std::vector<Record> queue_;
  mutable std::mutex run_mutex_;
  mutable std::optional<TrackedRun> run_;
};

}  // namespace wattree
