// Signals as events, for a tracker that passes them on.
#pragma once

#include <signal.h>

#include <optional>

namespace wattree {

// A signal that came in, and whether a person or a program sent it to this process: what the
// terminal sends (Ctrl-C) reaches the command too, and must not reach it twice.
struct CaughtSignal {
  int number = 0;
  bool is_from_terminal = false;
  // As users end programs: Ctrl-C, kill, a terminal that is closed.
  bool ends_a_program() const { return number == SIGINT || number == SIGTERM || number == SIGHUP; }
};

// For as long as it lives, the signals that a tracker passes on wait to be read; afterwards they
// are ignored, so that nothing keeps the tracker from writing the profile. To be made before any
// thread is started. Only one at a time.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

  int descriptor() const { return descriptor_; }  // Readable when a signal is there.
  std::optional<CaughtSignal> next() const;

  // In a child between fork and exec: everything as the tracker found it.
  void restore_in_child() const;

 private:
  void restore(bool is_child) const;

  sigset_t before_{};
  struct sigaction pipe_before_ {
  }, child_before_{}, size_before_{};
  int descriptor_ = -1;
};

}  // namespace wattree
