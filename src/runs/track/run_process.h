// The process that a run is: a command of ours, or one that was running already.
#pragma once

#include <sys/types.h>

#include <optional>

#include "src/measure/meter/clock.h"
#include "src/runs/track/child.h"

namespace wattree {

class RunProcess {
 public:
  explicit RunProcess(const Clock& clock) : clock_(clock) {}
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;
  ~RunProcess();

  // One of the two, once. An error, or a ChildStart with one, where there is no such process.
  Status follow(pid_t process);
  ChildStart start(const ChildOptions& options, const SignalWatch& signals);

  int descriptor() const { return descriptor_; }  // Readable when it has ended.
  void take_end();                                // To be called then.
  void look();                                    // Asks whether a child has ended.
  void stop_following();                          // Whoever ends the tracker ends the tracking.

  bool is_followed() const { return is_followed_; }
  bool is_over() const { return exit_code_.has_value() || is_followed_over_; }
  std::optional<int> exit_code() const { return exit_code_; }  // Of a child that has ended.
  Nanos ended_at() const { return ended_at_; }                 // 0: not yet.

  void signal(int number) const;      // It alone.
  void signal_all(int number) const;  // And everything below it.
  // Stops all of it and lets it go on; false where it is in that state already.
  bool pause();
  bool resume();
  bool is_paused() const { return is_paused_; }
  Nanos paused_at() const { return paused_at_; }  // Of the last pause.

 private:
  Clock clock_;
  pid_t process_ = -1;
  int descriptor_ = -1;
  bool is_followed_ = false, is_followed_over_ = false, is_paused_ = false;
  std::optional<int> exit_code_;
  Nanos ended_at_ = 0, paused_at_ = 0;
};

}  // namespace wattree
