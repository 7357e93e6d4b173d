// Threads that no signal reaches.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace wattree {

// For as long as it lives, threads that are started get no signals: those are for the program's own
// thread that waits for them. The kernel gives a signal to any thread that lets it, and one that
// does nothing with it takes it away from all others. A library that is loaded may start threads of
// its own, so that its calls too want this around them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace wattree
