#include "src/runs/track/run_process.h"

#include <signal.h>
#include <unistd.h>

namespace wattree {

RunProcess::~RunProcess() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status RunProcess::follow(pid_t process) {
  const Result<int> watched = watch_process(process);
  if (!watched.ok()) return watched.error();
  process_ = process;
  descriptor_ = watched.value();
  is_followed_ = true;
  return {};
}

ChildStart RunProcess::start(const ChildOptions& options, const SignalWatch& signals) {
  ChildStart started = start_child(options, signals);
  if (started.process < 0) return started;
  process_ = started.process;
  // A signal tells of its end too, but signals can be taken by threads that are not ours.
  if (const Result<int> watched = watch_process(process_); watched.ok()) {
    descriptor_ = watched.value();
  }
  return started;
}

void RunProcess::take_end() {
  look();
  if (is_followed_) stop_following();
}

void RunProcess::look() {
  if (is_followed_ || is_over()) return;
  exit_code_ = poll_child(process_);
  if (exit_code_) ended_at_ = clock_.now();
}

void RunProcess::stop_following() {
  is_followed_over_ = true;
  ended_at_ = clock_.now();
}

void RunProcess::signal(int number) const { ::kill(process_, number); }

void RunProcess::signal_all(int number) const { signal_tree(process_, number); }

bool RunProcess::pause() {
  if (is_paused_) return false;
  is_paused_ = true;
  signal_all(SIGSTOP);
  paused_at_ = clock_.now();
  return true;
}

bool RunProcess::resume() {
  if (!is_paused_) return false;
  is_paused_ = false;
  signal_all(SIGCONT);
  return true;
}

}  // namespace wattree
