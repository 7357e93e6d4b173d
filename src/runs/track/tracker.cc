#include "src/runs/track/tracker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "src/runs/track/budget.h"
#include "src/runs/track/epoch_book.h"
#include "src/runs/track/idle.h"
#include "src/runs/track/relay.h"
#include "src/runs/track/run_meters.h"
#include "src/runs/track/run_process.h"
#include "src/runs/track/signals.h"
#include "src/runs/track/step_book.h"
#include "src/runs/track/track_sockets.h"

namespace wattree {
namespace {

constexpr Nanos kTick = kNanosPerSecond;
constexpr Nanos kFirstTick = kTick / 5;
constexpr Nanos kSettlingLook = 50 * kNanosPerMillisecond;
constexpr int kLastLook = 5;  // Milliseconds
constexpr Nanos kOutputPatience = 2 * kNanosPerSecond;

// Waits for what happens and hands it to the parts that know what to do about it.
class Tracker {
 public:
  Tracker(TrackOptions options, TrackControl& control, const TrackObserver& observer)
      : options_(std::move(options)),
        control_(control),
        meters_(std::move(options_.meters), options_),
        clock_(meters_.clock()),
        recorder_(observer, clock_),
        process_(clock_),
        epochs_(recorder_, meters_),
        steps_(meters_),
        budget_(options_, recorder_, process_) {}

  Result<TrackOutcome> track();

 private:
  // Before the command.
  Status prepare();
  void open_relay();
  void begin(const std::optional<IdleMeasured>& idle);
  ChildStart start_command();

  // While it runs.
  void wait();
  int wait_ms() const;
  void take_signals();
  void take_lines();
  void take_messages();
  void take_message(const EpochMessage& message);
  void take_control();
  Result<ControlAnswer> take_request(ControlRequest request);
  bool tells_of_epochs() const;
  void note_who_may_pause();
  void tick();
  void pause_command();
  void resume_command();
  void tell_waiting();
  void note_pause(PauseState state);
  void drain();
  void take_finished(bool is_final);
  void take_over();

  // After it.
  void finish();
  void take_last_lines();
  void settle();

  Nanos within_run(Nanos at) const { return std::clamp(at, options_.run.at, clock_.now()); }

  TrackOptions options_;
  TrackControl& control_;
  SignalWatch signals_;  // Before any thread.
  std::optional<OutputRelay> relay_;
  RunMeters meters_;
  Clock clock_;
  RunRecorder recorder_;
  TrackSockets sockets_;
  RunProcess process_;
  EpochBook epochs_;
  StepBook steps_;
  Budget budget_;

  Nanos next_tick_ = 0;
  int run_window_ = 0;
  int leader_ = -1;          // The client whose epochs count.
  std::string last_number_;  // That a line of the output had; empty: it had another name.
  bool was_paused_ = false, has_lines_ = false;
};

Result<TrackOutcome> Tracker::track() {
  if (const Status failure = prepare(); !failure.ok()) return failure.error();
  const IdleOutcome idle = measure_idle(options_.idle, meters_, signals_);
  if (idle.interrupted) {
    return TrackOutcome{TrackedRun(options_.run), *idle.interrupted, false};
  }
  begin(idle.measured);
  if (!options_.follow) {
    const ChildStart started = start_command();
    if (started.process < 0) {
      recorder_.say(started.error);
      return TrackOutcome{recorder_.take_run(), started.exit_code, false};
    }
  }
  recorder_.tell(TrackEvent::kBegun);
  while (!process_.is_over()) wait();
  finish();
  const int code = budget_.is_exceeded() ? kOverBudget : process_.exit_code().value_or(0);
  return TrackOutcome{recorder_.take_run(), code, true};
}

Status Tracker::prepare() {
  if (options_.follow) {
    if (Status failure = process_.follow(*options_.follow); !failure.ok()) return failure;
    note_who_may_pause();
  } else if (options_.epoch_lines) {
    open_relay();
  }
  options_.run.meters = meters_.descriptions();
  options_.run.process = ::getpid();
  if (const Status failure = meters_.start(); !failure.ok()) {
    recorder_.say("nothing is measured: " + failure.error().message);
  }
  sockets_ =
      open_sockets(options_.runtime, [this](const std::string& text) { recorder_.say(text); });
  return {};
}

void Tracker::open_relay() {
  Result<OutputRelay> relay =
      OutputRelay::start(*options_.epoch_lines, STDOUT_FILENO, STDERR_FILENO, clock_);
  if (relay.ok()) {
    relay_.emplace(std::move(relay).value());
    has_lines_ = true;
  } else {
    recorder_.say("the output is not watched for epochs: " + relay.error().message);
  }
}

void Tracker::begin(const std::optional<IdleMeasured>& idle) {
  options_.run.at = clock_.now();
  options_.run.time =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  recorder_.begin(options_.run, options_.journal);
  if (idle) recorder_.write(*idle);
  for (const std::string& text : options_.notes) recorder_.note(text);
  run_window_ = meters_.windows().begin("run", options_.run.at);
  meters_.mark();
  next_tick_ = options_.run.at + kFirstTick;
  meters_.note_counted(options_.run.at);
  if (options_.epoch_lines && !options_.lines_begin_epochs) {
    epochs_.begin("1", options_.run.at, true);
  }
}

ChildStart Tracker::start_command() {
  ChildOptions child{options_.command, options_.environment, -1, -1};
  if (sockets_.epochs)
    child.environment.push_back("WATTREE_TRACK=" + socket_address(options_.runtime));
  if (relay_) {
    child.out = relay_->command_out();
    child.err = relay_->command_err();
  }
  ChildStart started = process_.start(child, signals_);
  if (relay_) relay_->close_command_ends();
  return started;
}

// --- while the command runs ---

int Tracker::wait_ms() const {
  Nanos until = next_tick_;
  // Windows settle soon after they end.
  if (epochs_.has_unsettled() || steps_.has_unsettled()) {
    until = std::min(until, clock_.now() + kSettlingLook);
  }
  if (budget_.is_waiting()) until = std::min(until, budget_.kill_at());
  return static_cast<int>(std::clamp<Nanos>((until - clock_.now() + 999'999) / 1'000'000, 0, 1000));
}

void Tracker::wait() {
  pollfd ready[] = {{signals_.descriptor(), POLLIN, 0},
                    {control_.descriptor(), POLLIN, 0},
                    {has_lines_ ? relay_->lines() : -1, POLLIN, 0},
                    {sockets_.epochs ? sockets_.epochs->descriptor() : -1, POLLIN, 0},
                    {process_.descriptor(), POLLIN, 0},
                    {sockets_.requests ? sockets_.requests->descriptor() : -1, POLLIN, 0}};
  if (::poll(ready, std::size(ready), wait_ms()) < 0 && errno != EINTR) return;
  if ((ready[2].revents & POLLIN) != 0) {
    take_lines();
  } else if (ready[2].revents != 0) {
    has_lines_ = false;  // The command has closed its output; the pipe would always be ready.
  }
  if ((ready[3].revents & POLLIN) != 0) take_messages();
  if ((ready[5].revents & POLLIN) != 0) {
    sockets_.requests->receive([this](ControlRequest request) { return take_request(request); });
  }
  if ((ready[1].revents & POLLIN) != 0) take_control();
  if ((ready[0].revents & POLLIN) != 0) take_signals();
  if ((ready[4].revents & POLLIN) != 0) process_.take_end();
  drain();
  take_finished(false);
  if (clock_.now() >= next_tick_) process_.look();
  // What is written after the end would be later than the end's own totals.
  if (clock_.now() >= next_tick_ && !process_.is_over()) tick();
  if (budget_.is_waiting() && !process_.is_over() && clock_.now() >= budget_.kill_at()) {
    budget_.end_by_force();
  }
}

void Tracker::take_signals() {
  while (const auto caught = signals_.next()) {
    if (caught->number == SIGWINCH) continue;
    if (caught->number == SIGCHLD) {
      process_.look();
      continue;
    }
    if (process_.is_followed()) {
      // The process is not ours: whoever ends the tracker ends the tracking.
      if (caught->ends_a_program()) process_.stop_following();
      continue;
    }
    // The terminal has told the command already.
    if (caught->is_from_terminal || process_.exit_code()) continue;
    process_.signal(caught->number);
    // A command that is paused could not act on it.
    if (process_.is_paused()) resume_command();
  }
}

void Tracker::take_lines() {
  const Nanos ended_at = process_.ended_at();
  while (const auto line = relay_->next_line()) {
    // A summary repeats the number of the last epoch, and a log has it in many lines.
    const std::string_view told(line->name);
    const bool is_number =
        !told.empty() && told.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_number && told == last_number_) continue;
    last_number_ = is_number ? std::string(told) : "";
    Nanos at = within_run(line->at);
    if (ended_at != 0) at = std::min(at, ended_at);
    // A command that stands writes nothing: a line that is seen only now was written before.
    if (process_.is_paused()) at = std::min(at, process_.paused_at());
    const std::string name = line->name[0] != '\0' ? std::string(line->name) : epochs_.next_name();
    if (options_.lines_begin_epochs) {
      epochs_.end("", at);
      epochs_.begin(name, at, false);
    } else {
      epochs_.end(name, at);
      epochs_.begin(epochs_.next_name(), at, true);
    }
    if (control_.is_paused() && ended_at == 0) pause_command();
  }
}

void Tracker::take_messages() {
  sockets_.epochs->receive([&](const EpochMessage& message) { take_message(message); },
                           [&](int client) {
                             if (client == leader_) leader_ = -1;
                             note_who_may_pause();
                             steps_.forget(client);
                           });
}

void Tracker::take_message(const EpochMessage& message) {
  using Kind = EpochMessage::Kind;
  const Nanos at = within_run(message.at);
  switch (message.kind) {
    case Kind::kStepBegin: steps_.begin(message, at); return;
    case Kind::kStepEnd: steps_.end(message, at); return;
    case Kind::kWaiting: tell_waiting(); return;
    case Kind::kEpochBegin:
      // Several processes of one run all tell of its epochs: the first one's count.
      if (leader_ < 0) leader_ = message.client;
      note_who_may_pause();
      if (options_.epoch_lines || message.client != leader_) return;
      if (epochs_.has_open()) epochs_.end("", at);
      epochs_.begin(message.name.empty() ? epochs_.next_name() : message.name, at, false);
      return;
    case Kind::kEpochEnd:
      if (!options_.epoch_lines && message.client == leader_) epochs_.end("", at);
      return;
  }
}

void Tracker::take_control() {
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t got = ::read(control_.descriptor(), &rings, sizeof rings);
  const bool is_paused = control_.is_paused();
  if (is_paused == was_paused_) return;
  was_paused_ = is_paused;
  if (sockets_.epochs) sockets_.epochs->set_paused(is_paused);
  if (!is_paused) resume_command();
  note_pause(is_paused ? PauseState::kAsked : PauseState::kNone);
  // Nothing tells where an epoch would begin: the command stands at once.
  if (is_paused && !tells_of_epochs() && !process_.is_followed()) pause_command();
}

void Tracker::note_who_may_pause() {
  control_.set_may_pause(!process_.is_followed() || tells_of_epochs());
}

// Lines of output, or a program that has told of an epoch and is still there.
bool Tracker::tells_of_epochs() const { return has_lines_ || leader_ >= 0; }

Result<ControlAnswer> Tracker::take_request(ControlRequest request) {
  if (request == ControlRequest::kPause) {
    if (const Status failure = control_.may_pause(); !failure.ok()) return failure.error();
  }
  if (request != ControlRequest::kStatus) {
    control_.set_paused(request == ControlRequest::kPause);
    take_control();
  }
  const TrackedRun& run = recorder_.run();
  return ControlAnswer{run.pause(), run.duration(), static_cast<std::int64_t>(run.epochs_ended())};
}

void Tracker::tell_waiting() {
  // A program that was told to go on in the meantime no longer waits.
  if (!control_.is_paused()) return;
  control_.set_waiting(true);
  recorder_.note("paused");
  note_pause(PauseState::kStanding);
}

void Tracker::note_pause(PauseState state) {
  // What is written after the end would be later than the end.
  if (process_.is_over() || state == recorder_.run().pause()) return;
  recorder_.write(PauseChanged{clock_.now(), state});
  recorder_.tell(TrackEvent::kState);
}

void Tracker::pause_command() {
  if (process_.pause()) tell_waiting();
}

void Tracker::resume_command() {
  if (process_.resume()) epochs_.begin_again(clock_.now());
  if (!control_.is_waiting()) return;
  control_.set_waiting(false);
  recorder_.note("resumed");
  note_pause(control_.is_paused() ? PauseState::kAsked : PauseState::kNone);
}

void Tracker::drain() {
  meters_.drain([&](const std::string& text) { recorder_.note_and_say(text); });
}

void Tracker::take_over() {
  for (const std::string& text : meters_.take_over()) recorder_.note_and_say(text);
}

void Tracker::take_finished(bool is_final) {
  for (const Window& window : meters_.windows().take_finished(is_final)) {
    if (window.id == run_window_) {
      meters_.note_counted(window.ended);
      recorder_.write(Totals{window.ended, energies(window.amounts)});
    } else if (!epochs_.take_finished(window)) {
      steps_.take_finished(window);
    }
  }
}

void Tracker::tick() {
  const Nanos now = clock_.now();
  const Nanos since = now - options_.run.at;
  // Soon after the beginning, so that a tracker that is killed then leaves something. After a
  // suspension, the seconds that are gone are not made up for.
  next_tick_ =
      options_.run.at + (since < kTick ? std::min(2 * since, kTick) : (since / kTick + 1) * kTick);
  take_over();
  // Some meters are read once a second only: later totals would have what some took and others not.
  const Nanos known = meters_.windows().known_until(now);
  meters_.note_counted(known);
  const auto so_far = meters_.windows().peek(run_window_, known);
  if (so_far && known > options_.run.at) {
    recorder_.write(Totals{known, energies(so_far->amounts)});
  }
  steps_.write_changed(recorder_);
  if (budget_.check(clock_.now()) && process_.is_paused()) resume_command();
  recorder_.tell(TrackEvent::kTotals);
}

// --- after it ---

void Tracker::finish() {
  const Nanos ended_at = process_.ended_at();
  if (relay_) take_last_lines();
  if (sockets_.epochs) take_messages();
  if (options_.lines_begin_epochs) epochs_.end("", ended_at);
  take_over();
  meters_.windows().end(run_window_, ended_at);
  settle();
  steps_.write_changed(recorder_);
  recorder_.write(RunEnded{ended_at, process_.exit_code(), budget_.reason()});
  recorder_.sync();
  recorder_.tell(TrackEvent::kEnded);
}

void Tracker::take_last_lines() {
  relay_->wait(kOutputPatience);
  take_lines();
  if (const std::uint64_t missed = relay_->missed(); missed > 0) {
    recorder_.note_and_say("lines that tell of epochs came faster than they could be taken: " +
                           std::to_string(missed) +
                           " are left out, and what they took is in the epochs after them");
  }
}

// A little longer, so that the last counter ticks are seen; not longer than that. Quick meters are
// asked again and again, so that whoever waits for the command waits for milliseconds only.
void Tracker::settle() {
  meters_.mark();
  const Nanos until = clock_.now() + meters_.most_settling();
  while (clock_.now() < until && recorder_.run().totals().at < process_.ended_at() &&
         !meters_.is_empty()) {
    ::poll(nullptr, 0, kLastLook);
    meters_.mark();
    drain();
    take_finished(false);
  }
  meters_.stop();
  drain();
  take_finished(true);
}

}  // namespace

Result<TrackOutcome> track_run(TrackOptions options, TrackControl& control,
                               const TrackObserver& observer) {
  return Tracker(std::move(options), control, observer).track();
}

}  // namespace wattree
