// Pause and resume of a run that is tracked.
#pragma once

#include <atomic>

#include "src/base/result.h"

namespace wattree {

// From any thread.
class TrackControl {
 public:
  TrackControl();
  TrackControl(const TrackControl&) = delete;
  TrackControl& operator=(const TrackControl&) = delete;
  ~TrackControl();

  // Takes effect when the next epoch would begin, and at once where nothing tells of epochs; to
  // resume, at once.
  void set_paused(bool is_paused);
  bool is_paused() const { return is_paused_.load(); }
  bool is_waiting() const { return is_waiting_.load(); }  // The command does wait.
  // An error where the process is not the tracker's to stop, and tells of no epochs either.
  Status may_pause() const;

  int descriptor() const { return wake_; }  // For the tracker.
  void set_waiting(bool is_waiting) { is_waiting_.store(is_waiting); }
  void set_may_pause(bool may_pause) { may_pause_.store(may_pause); }

 private:
  std::atomic<bool> is_paused_{false}, is_waiting_{false}, may_pause_{true};
  int wake_ = -1;
};

}  // namespace wattree
