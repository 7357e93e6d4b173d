#include "src/runs/track/tracker.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <set>

#include "src/measure/meter/sampler.h"
#include "src/measure/meter/window.h"
#include "src/runs/track/child.h"
#include "src/runs/track/epoch_socket.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/relay.h"
#include "src/runs/track/signals.h"

namespace wattree {
namespace {

constexpr Nanos kTick = kNanosPerSecond;
constexpr Nanos kSettlingLook = 50 * kNanosPerMillisecond;
constexpr int kLastLook = 5;  // Milliseconds
constexpr Nanos kPrimingAtMost = 500 * kNanosPerMillisecond;
constexpr Nanos kOutputPatience = 2 * kNanosPerSecond;
constexpr std::size_t kMostOpenSteps = 4096;

ComponentKind kind_of(Component component) {
  switch (component) {
    case Component::kGpu: return ComponentKind::kGpu;
    case Component::kCpu: return ComponentKind::kCpu;
    case Component::kDram: return ComponentKind::kMemory;
    case Component::kPlatform:
    case Component::kOther: break;
  }
  return ComponentKind::kMachine;
}

std::vector<RunMeter> describe(const Meters& meters) {
  std::vector<RunMeter> out;
  for (const auto& meter : meters) {
    const Description& d = meter->description();
    out.push_back({d.name, d.device, kind_of(d.component), {d.basis, d.source, d.boundary}});
  }
  return out;
}

std::vector<const Description*> descriptions(const Meters& meters) {
  std::vector<const Description*> out;
  for (const auto& meter : meters) out.push_back(&meter->description());
  return out;
}

std::vector<MeterEnergy> energies(const std::vector<Amount>& amounts) {
  std::vector<MeterEnergy> out;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const Amount& amount = amounts[i];
    if (!amount.is_known) continue;
    out.push_back({static_cast<std::int64_t>(i), Joules(amount.value), Joules(amount.low),
                   Joules(amount.high), Seconds(amount.covered_seconds)});
  }
  return out;
}

SamplerOptions sampler_options(const TrackOptions& options) {
  SamplerOptions out;
  out.period = options.period;
  if (options.keeps_period) out.slow_share = 0;
  if (options.claims != nullptr) out.dormant = options.claims->elsewhere();
  return out;
}

class Tracker {
 public:
  Tracker(TrackOptions options, TrackControl& control, const TrackObserver& observer)
      : options_(std::move(options)),
        control_(control),
        observer_(observer),
        sampler_(std::move(options_.meters), sampler_options(options_)),
        clock_(sampler_.clock()),
        windows_(descriptions(sampler_.meters())),
        latest_(sampler_.meters().size()) {
    if (options_.claims == nullptr) return;
    for (const std::size_t meter : options_.claims->elsewhere()) windows_.set_dormant(meter);
  }

  ~Tracker() {
    if (followed_ >= 0) ::close(followed_);
  }

  Result<TrackOutcome> track();

 private:
  // Before the command.
  Status prepare();
  void prime();
  std::optional<int> measure_idle();
  void begin();

  // While it runs.
  void wait();
  void take_signals();
  void look_at_child();
  void take_lines();
  void take_messages();
  void take_control();
  void tick();
  void check_budget();
  void end_by_force();

  void begin_epoch(const std::string& name, Nanos at, bool is_tentative);
  void end_epoch(const std::string& name, Nanos at);
  void take_step(const EpochMessage& message);
  void pause_command();
  void resume_command();
  void drain();
  bool take_point(const SampleEvent& event);
  void take_finished(bool is_final);
  // How long the last windows are waited for.
  Nanos most_settling() const {
    return std::min(windows_.settling_time(options_.period), 600 * kNanosPerMillisecond);
  }

  // Other trackers of the same job.
  void take_over();
  void note_counted(Nanos at) const;

  void finish(std::optional<int> exit_code);

  void write(const Record& record);
  void note(const std::string& text);
  void say(const std::string& text) {
    if (observer_.on_message) observer_.on_message(text);
  }
  void tell(TrackEvent event) {
    if (observer_.on_event) observer_.on_event(*run_, event);
  }
  bool is_over() const { return exit_code_.has_value() || is_followed_over_; }

  TrackOptions options_;
  TrackControl& control_;
  const TrackObserver& observer_;
  SignalWatch signals_;  // Before any thread.
  std::optional<OutputRelay> relay_;
  Sampler sampler_;
  Clock clock_;
  Windows windows_;
  std::vector<std::optional<Point>> latest_;  // Of every meter.
  std::unique_ptr<JournalWriter> journal_;
  std::unique_ptr<EpochSocket> socket_;
  std::optional<TrackedRun> run_;
  std::optional<IdleMeasured> idle_;

  pid_t process_ = -1;
  int followed_ = -1;
  std::optional<int> exit_code_;
  bool is_followed_over_ = false;
  Nanos ended_at_ = 0;
  Nanos next_tick_ = 0;

  int run_window_ = 0;
  int epoch_window_ = 0;                     // 0: none is open.
  std::map<int, std::string> ended_epochs_;  // Window to name.
  std::map<std::pair<int, std::string>, int> open_steps_;
  std::map<int, std::string> step_windows_;
  std::map<std::string, StepsMeasured> steps_;
  std::set<std::string> changed_steps_;
  std::size_t epochs_ = 0;
  int leader_ = -1;  // The client whose epochs count.

  bool has_warned_ = false, is_stopped_ = false, has_killed_ = false, was_paused_ = false;
  bool has_stopped_processes_ = false, has_lines_ = false;
  Nanos kill_at_ = 0;
};

Result<TrackOutcome> Tracker::track() {
  if (const Status failure = prepare(); !failure.ok()) return failure.error();
  if (const std::optional<int> interrupted = measure_idle()) {
    return TrackOutcome{TrackedRun(options_.run), *interrupted, false};
  }
  begin();
  if (!options_.follow) {
    ChildOptions child{options_.command, options_.environment, -1, -1};
    if (socket_) child.environment.push_back("WATTREE_TRACK=" + socket_address(options_.runtime));
    if (relay_) {
      child.out = relay_->command_out();
      child.err = relay_->command_err();
    }
    const ChildStart started = start_child(child, signals_);
    if (relay_) relay_->close_command_ends();
    if (started.process < 0) {
      say(started.error);
      return TrackOutcome{std::move(*run_), started.exit_code, false};
    }
    process_ = started.process;
    // A signal tells of its end too, but signals can be taken by threads that are not ours.
    if (const Result<int> watched = watch_process(process_); watched.ok()) {
      followed_ = watched.value();
    }
  }
  tell(TrackEvent::kBegun);
  while (!is_over()) wait();
  finish(exit_code_);
  const int code = is_stopped_ ? kOverBudget : exit_code_.value_or(0);
  return TrackOutcome{std::move(*run_), code, true};
}

Status Tracker::prepare() {
  if (options_.follow) {
    process_ = *options_.follow;
    const Result<int> watched = watch_process(process_);
    if (!watched.ok()) return watched.error();
    followed_ = watched.value();
  } else if (options_.epoch_lines) {
    Result<OutputRelay> relay =
        OutputRelay::start(*options_.epoch_lines, STDOUT_FILENO, STDERR_FILENO, clock_);
    if (relay.ok()) {
      relay_.emplace(std::move(relay).value());
      has_lines_ = true;
    } else {
      say("the output is not watched for epochs: " + relay.error().message);
    }
  }
  options_.run.meters = describe(sampler_.meters());
  options_.run.process = ::getpid();
  if (const Status failure = sampler_.start(); !failure.ok()) {
    say("nothing is measured: " + failure.error().message);
  } else {
    prime();
  }
  if (!options_.runtime.empty()) {
    Result<std::unique_ptr<EpochSocket>> socket = EpochSocket::create(options_.runtime);
    if (socket.ok()) {
      socket_ = std::move(socket).value();
    } else {
      say("programs cannot tell of their epochs: " + socket.error().message);
    }
  }
  return {};
}

// A reading of every meter before the command begins: its first moments count too. One that does
// not answer is not waited for long.
void Tracker::prime() {
  const Nanos until = clock_.now() + kPrimingAtMost;
  std::set<std::size_t> answered;
  if (options_.claims != nullptr) {
    for (const std::size_t meter : options_.claims->elsewhere()) answered.insert(meter);
  }
  while (answered.size() < sampler_.meters().size() && clock_.now() < until) {
    sampler_.drain([&](const SampleEvent& event) {
      answered.insert(event.meter);
      take_point(event);
    });
    if (answered.size() < sampler_.meters().size()) ::poll(nullptr, 0, 1);
  }
}

// The exit code where a signal ends it before the command has begun.
std::optional<int> Tracker::measure_idle() {
  if (options_.idle <= Seconds(0) || sampler_.meters().empty()) return std::nullopt;
  const Nanos begun = clock_.now();
  const Nanos ended = begun + static_cast<Nanos>(options_.idle.value * 1e9);
  // Until the window has settled: before the tick after its end, a counter that is read seldom
  // would show less than there was.
  const Nanos patience = ended + most_settling();
  const int window = windows_.begin("idle", begun);
  sampler_.mark();
  while (!idle_) {
    const Nanos left = (ended - clock_.now()) / kNanosPerMillisecond;
    pollfd signalled{signals_.descriptor(), POLLIN, 0};
    ::poll(&signalled, 1, static_cast<int>(std::clamp<Nanos>(left, kLastLook, 200)));
    if (clock_.now() >= ended) {
      windows_.end(window, ended);
      sampler_.mark();
    }
    drain();
    while (const auto caught = signals_.next()) {
      if (caught->number == SIGINT || caught->number == SIGTERM || caught->number == SIGHUP) {
        return 128 + caught->number;
      }
    }
    for (const Window& done : windows_.take_finished(clock_.now() >= patience)) {
      // Its record comes after the run's own.
      idle_ = IdleMeasured{Seconds(seconds(done.ended - done.begun)), energies(done.amounts)};
    }
  }
  return std::nullopt;
}

void Tracker::begin() {
  options_.run.at = clock_.now();
  options_.run.time =
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
  run_.emplace(options_.run);
  if (!options_.journal.empty()) {
    Result<std::unique_ptr<JournalWriter>> journal = JournalWriter::create(options_.journal);
    if (journal.ok()) {
      journal_ = std::move(journal).value();
    } else {
      say("a crash would lose this run: " + journal.error().message);
    }
  }
  write(options_.run);
  if (idle_) write(*idle_);
  for (const std::string& text : options_.notes) note(text);
  run_window_ = windows_.begin("run", options_.run.at);
  sampler_.mark();
  next_tick_ = options_.run.at + kTick;
  note_counted(options_.run.at);
  if (options_.epoch_lines && !options_.lines_begin_epochs) begin_epoch("1", options_.run.at, true);
}

void Tracker::write(const Record& record) {
  if (journal_) {
    if (const Status failure = journal_->append(to_line(record)); !failure.ok()) {
      say("the journal has to wait: " + failure.error().message + "; tracking goes on");
    }
  }
  run_->apply(record);
  if (observer_.on_record) observer_.on_record(record);
}

void Tracker::note(const std::string& text) { write(RunNote{clock_.now(), text}); }

// --- while the command runs ---

void Tracker::wait() {
  Nanos until = next_tick_;
  // Windows settle soon after they end.
  if (!ended_epochs_.empty() || !step_windows_.empty()) {
    until = std::min(until, clock_.now() + kSettlingLook);
  }
  if (is_stopped_ && !has_killed_) until = std::min(until, kill_at_);
  const auto wait_ms =
      static_cast<int>(std::clamp<Nanos>((until - clock_.now() + 999'999) / 1'000'000, 0, 1000));
  pollfd ready[] = {{signals_.descriptor(), POLLIN, 0},
                    {control_.descriptor(), POLLIN, 0},
                    {has_lines_ ? relay_->lines() : -1, POLLIN, 0},
                    {socket_ ? socket_->descriptor() : -1, POLLIN, 0},
                    {followed_, POLLIN, 0}};
  if (::poll(ready, std::size(ready), wait_ms) < 0 && errno != EINTR) return;
  if ((ready[2].revents & POLLIN) != 0) {
    take_lines();
  } else if (ready[2].revents != 0) {
    has_lines_ = false;  // The command has closed its output; the pipe would always be ready.
  }
  if ((ready[3].revents & POLLIN) != 0) take_messages();
  if ((ready[1].revents & POLLIN) != 0) take_control();
  if ((ready[0].revents & POLLIN) != 0) take_signals();
  if ((ready[4].revents & POLLIN) != 0) {
    look_at_child();
    if (options_.follow) {
      is_followed_over_ = true;
      ended_at_ = clock_.now();
    }
  }
  drain();
  take_finished(false);
  if (clock_.now() >= next_tick_) look_at_child();
  // What is written after the end would be later than the end's own totals.
  if (clock_.now() >= next_tick_ && !is_over()) tick();
  if (is_stopped_ && !has_killed_ && !is_over() && clock_.now() >= kill_at_) end_by_force();
}

void Tracker::look_at_child() {
  if (options_.follow || is_over()) return;
  exit_code_ = poll_child(process_);
  if (exit_code_) ended_at_ = clock_.now();
}

void Tracker::take_signals() {
  while (const auto caught = signals_.next()) {
    if (caught->number == SIGWINCH) continue;
    if (caught->number == SIGCHLD) {
      look_at_child();
      continue;
    }
    if (options_.follow) {
      // The process is not ours: whoever ends the tracker ends the tracking.
      if (caught->number == SIGINT || caught->number == SIGTERM || caught->number == SIGHUP) {
        is_followed_over_ = true;
        ended_at_ = clock_.now();
      }
      continue;
    }
    // The terminal has told the command already.
    if (caught->is_from_terminal || exit_code_) continue;
    ::kill(process_, caught->number);
    // A command that is paused could not act on it.
    if (has_stopped_processes_) resume_command();
  }
}

void Tracker::take_lines() {
  while (const auto line = relay_->next_line()) {
    Nanos at = std::clamp(line->at, options_.run.at, clock_.now());
    if (ended_at_ != 0) at = std::min(at, ended_at_);
    const std::string name =
        line->name[0] != '\0' ? std::string(line->name) : std::to_string(epochs_ + 1);
    if (options_.lines_begin_epochs) {
      end_epoch("", at);
      begin_epoch(name, at, false);
    } else {
      end_epoch(name, at);
      begin_epoch(std::to_string(epochs_ + 1), at, true);
    }
    if (control_.is_paused() && ended_at_ == 0) pause_command();
  }
}

void Tracker::take_messages() {
  using Kind = EpochMessage::Kind;
  socket_->receive(
      [&](const EpochMessage& message) {
        const Nanos at = std::clamp(message.at, options_.run.at, clock_.now());
        switch (message.kind) {
          case Kind::kStepBegin:
          case Kind::kStepEnd: take_step(message); return;
          case Kind::kWaiting:
            control_.set_waiting(true);
            note("paused");
            tell(TrackEvent::kState);
            return;
          case Kind::kEpochBegin:
            // Several processes of one run all tell of its epochs: the first one's count.
            if (leader_ < 0) leader_ = message.client;
            if (options_.epoch_lines || message.client != leader_) return;
            if (epoch_window_ != 0) end_epoch("", at);
            begin_epoch(message.name.empty() ? std::to_string(epochs_ + 1) : message.name, at,
                        false);
            return;
          case Kind::kEpochEnd:
            if (!options_.epoch_lines && message.client == leader_) end_epoch("", at);
            return;
        }
      },
      [&](int client) {
        if (client == leader_) leader_ = -1;
        std::erase_if(open_steps_, [&](const auto& entry) { return entry.first.first == client; });
      });
}

void Tracker::take_control() {
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t got = ::read(control_.descriptor(), &rings, sizeof rings);
  const bool is_paused = control_.is_paused();
  if (is_paused == was_paused_) return;
  was_paused_ = is_paused;
  if (socket_) socket_->set_paused(is_paused);
  if (!is_paused) resume_command();
  tell(TrackEvent::kState);
}

void Tracker::pause_command() {
  if (has_stopped_processes_) return;
  has_stopped_processes_ = true;
  signal_tree(process_, SIGSTOP);
  control_.set_waiting(true);
  note("paused");
  tell(TrackEvent::kState);
}

void Tracker::resume_command() {
  if (has_stopped_processes_) {
    has_stopped_processes_ = false;
    signal_tree(process_, SIGCONT);
    // The pause is nobody's epoch: the one that is open begins again.
    if (const auto open = run_->open_epoch()) {
      windows_.end(epoch_window_, clock_.now());
      epoch_window_ = 0;
      --epochs_;
      begin_epoch(open->name, clock_.now(), open->is_tentative);
    }
  }
  if (control_.is_waiting()) note("resumed");
  control_.set_waiting(false);
}

void Tracker::begin_epoch(const std::string& name, Nanos at, bool is_tentative) {
  ++epochs_;
  epoch_window_ = windows_.begin(name, at);
  write(EpochBegun{at, name, is_tentative});
  sampler_.mark();
}

void Tracker::end_epoch(const std::string& name, Nanos at) {
  if (epoch_window_ == 0) return;
  const auto open = run_->open_epoch();
  windows_.end(epoch_window_, at);
  ended_epochs_[epoch_window_] = !name.empty() || !open ? name : open->name;
  epoch_window_ = 0;
  write(EpochEnded{at});
  if (journal_) journal_->request_sync();
  sampler_.mark();
}

void Tracker::take_step(const EpochMessage& message) {
  const auto key = std::pair(message.client, message.name);
  const Nanos at = std::clamp(message.at, options_.run.at, clock_.now());
  if (message.kind == EpochMessage::Kind::kStepBegin) {
    // Beyond what can be meant, steps are not followed.
    if (open_steps_.size() + step_windows_.size() >= kMostOpenSteps) return;
    open_steps_[key] = windows_.begin(message.name, at);
  } else if (const auto open = open_steps_.find(key); open != open_steps_.end()) {
    windows_.end(open->second, at);
    step_windows_[open->second] = message.name;
    open_steps_.erase(open);
  }
}

void Tracker::drain() {
  sampler_.drain([&](const SampleEvent& event) {
    if (take_point(event) || !run_) return;
    const std::string text = sampler_.meters()[event.meter]->description().name +
                             " does not answer: " + std::string(name_of(event.absence));
    note(text);
    say(text);
  });
}

bool Tracker::take_point(const SampleEvent& event) {
  if (event.absence != Absence::kNone) return false;
  windows_.add(event.meter, event.point);
  latest_[event.meter] = event.point;
  return true;
}

// What another tracker of the job counted and, having ended, no longer does, is counted here: from
// the last reading on that is in its totals.
void Tracker::take_over() {
  if (options_.claims == nullptr) return;
  for (const TakenOver& taken : options_.claims->take_over()) {
    windows_.join(taken.meter, taken.last.time());
    sampler_.join({static_cast<std::uint32_t>(taken.meter), taken.last});
    const std::string text = sampler_.meters()[taken.meter]->description().name +
                             " is counted here from now on: PID " + std::to_string(taken.process) +
                             ", which counted it, has ended";
    note(text);
    say(text);
  }
}

// What the totals of that moment have in them, for the tracker that may have to go on from here.
void Tracker::note_counted(Nanos at) const {
  if (options_.claims == nullptr) return;
  for (std::size_t i = 0; i < latest_.size(); ++i) {
    const Edge edge = windows_.at(i, at);
    if (!latest_[i] || !edge.is_known) continue;
    const Description& meter = sampler_.meters()[i]->description();
    Reading counted{{latest_[i]->count, latest_[i]->level, Absence::kNone}, at, at};
    if (meter.kind == Kind::kCounter) {
      // In the totals may be less than the counter shows by now.
      const auto more = static_cast<std::uint64_t>(
          std::llround(std::max(0.0, latest_[i]->integral - edge.integral) / meter.resolution));
      const bool has_wrapped = more > counted.sample.count;
      counted.sample.count += (has_wrapped ? meter.wrap : 0) - more;
    }
    options_.claims->note(i, counted);
  }
}

void Tracker::take_finished(bool is_final) {
  for (const Window& window : windows_.take_finished(is_final)) {
    if (window.id == run_window_) {
      note_counted(window.ended);
      write(Totals{window.ended, energies(window.amounts)});
    } else if (const auto epoch = ended_epochs_.find(window.id); epoch != ended_epochs_.end()) {
      write(EpochMeasured{epoch->second, window.begun, window.ended, energies(window.amounts)});
      ended_epochs_.erase(epoch);
      if (journal_) journal_->request_sync();
      tell(TrackEvent::kEpoch);
    } else if (const auto step = step_windows_.find(window.id); step != step_windows_.end()) {
      StepsMeasured& all = steps_[step->second];
      all.name = step->second;
      ++all.count;
      all.duration = all.duration + Seconds(seconds(window.ended - window.begun));
      for (const MeterEnergy& part : energies(window.amounts)) {
        all.energy = all.energy + part.energy;
        all.low = all.low + part.low;
        all.high = all.high + part.high;
      }
      changed_steps_.insert(step->second);
      step_windows_.erase(step);
    }
  }
}

void Tracker::tick() {
  const Nanos now = clock_.now();
  // After a suspension, on with the grid; the seconds that are gone are not made up for.
  next_tick_ += ((now - next_tick_) / kTick + 1) * kTick;
  take_over();
  // Some meters are read once a second only. Of later moments than their last reading, totals would
  // have in them what some took and not what others did.
  const Nanos known = windows_.known_until(now);
  note_counted(known);
  if (const auto so_far = windows_.peek(run_window_, known)) {
    write(Totals{known, energies(so_far->amounts)});
  }
  for (const std::string& name : changed_steps_) write(steps_[name]);
  changed_steps_.clear();
  check_budget();
  tell(TrackEvent::kTotals);
}

void Tracker::check_budget() {
  const auto device = run_->energy();
  if (!device) return;
  const Joules energy = *device * (options_.run.pue ? options_.run.pue->value : 1.0);
  if (options_.warn_above && energy > options_.warn_above->most && !has_warned_) {
    has_warned_ = true;
    note("the run took more than " + options_.warn_above->text);
    say("this run has taken more than " + options_.warn_above->text);
  }
  if (options_.stop_above && energy > options_.stop_above->most && !is_stopped_) {
    is_stopped_ = true;
    kill_at_ = clock_.now() + static_cast<Nanos>(options_.grace.value * 1e9);
    note("stopped: the run took more than " + options_.stop_above->text);
    say("this run has taken more than " + options_.stop_above->text +
        " and is asked to end (SIGTERM); the exit code will be " + std::to_string(kOverBudget));
    ::kill(process_, SIGTERM);
    if (has_stopped_processes_) resume_command();
  }
}

void Tracker::end_by_force() {
  has_killed_ = true;
  say("it has not ended and is ended by force (SIGKILL)");
  signal_tree(process_, SIGKILL);
}

// --- after it ---

void Tracker::finish(std::optional<int> exit_code) {
  if (relay_) {
    relay_->wait(kOutputPatience);
    take_lines();
    if (const std::uint64_t missed = relay_->missed(); missed > 0) {
      const std::string text = "lines that tell of epochs came faster than they could be taken: " +
                               std::to_string(missed) +
                               " are left out, and what they took is in the epochs after them";
      note(text);
      say(text);
    }
  }
  if (socket_) take_messages();
  if (options_.lines_begin_epochs) end_epoch("", ended_at_);
  take_over();
  windows_.end(run_window_, ended_at_);
  sampler_.mark();
  // A little longer, so that the last counter ticks are seen; not longer than that. Quick meters
  // are asked again and again, so that whoever waits for the command waits for milliseconds only.
  const Nanos until = clock_.now() + most_settling();
  while (clock_.now() < until && run_->totals().at < ended_at_ && !sampler_.meters().empty()) {
    ::poll(nullptr, 0, kLastLook);
    sampler_.mark();
    drain();
    take_finished(false);
  }
  sampler_.stop();
  drain();
  take_finished(true);
  for (const std::string& name : changed_steps_) write(steps_[name]);
  write(RunEnded{ended_at_, exit_code});
  if (journal_) journal_->request_sync();
  tell(TrackEvent::kEnded);
}

}  // namespace

TrackControl::TrackControl() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

TrackControl::~TrackControl() {
  if (wake_ >= 0) ::close(wake_);
}

void TrackControl::set_paused(bool is_paused) {
  is_paused_.store(is_paused);
  const std::uint64_t ring = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake_, &ring, sizeof ring);
}

Result<TrackOutcome> track_run(TrackOptions options, TrackControl& control,
                               const TrackObserver& observer) {
  return Tracker(std::move(options), control, observer).track();
}

}  // namespace wattree
