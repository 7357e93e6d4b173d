#include "src/runs/track/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace wattree {
namespace {

constexpr int kWatched[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                            SIGUSR2, SIGALRM, SIGCHLD, SIGWINCH};

}  // namespace

SignalWatch::SignalWatch() {
  sigset_t watched;
  ::sigemptyset(&watched);
  for (const int number : kWatched) ::sigaddset(&watched, number);
  ::sigprocmask(SIG_BLOCK, &watched, &before_);
  descriptor_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  // A reader that goes away is an error of write(), and a child that ends must wait to be asked,
  // whatever this program was started with.
  struct sigaction ignore {
  }, standard{};
  ignore.sa_handler = SIG_IGN;
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &ignore, &pipe_before_);
  // A limit on the size of files (ulimit -f) is an error of write() too.
  ::sigaction(SIGXFSZ, &ignore, &size_before_);
  ::sigaction(SIGCHLD, &standard, &child_before_);
}

SignalWatch::~SignalWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
  restore(false);
}

void SignalWatch::restore_in_child() const { restore(true); }

void SignalWatch::restore(bool is_child) const {
  ::sigaction(SIGPIPE, &pipe_before_, nullptr);
  ::sigaction(SIGXFSZ, &size_before_, nullptr);
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  if (!is_child) {
    // The command has ended, the profile is still to be written, and the exit code is the
    // command's. A signal that waits by now (timeout(1) sends its own twice) is too late to change
    // any of that; whoever cannot wait has SIGKILL, and the journal.
    for (const int number : kWatched) {
      if (number != SIGCHLD && number != SIGWINCH) ::signal(number, SIG_IGN);
    }
    ::signal(SIGXFSZ, SIG_IGN);
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<CaughtSignal> SignalWatch::next() const {
  signalfd_siginfo info{};
  if (::read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return CaughtSignal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace wattree
