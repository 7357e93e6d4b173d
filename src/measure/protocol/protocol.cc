#include "src/measure/protocol/protocol.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace wattree {
namespace {

// The cap is felt where the driver says so this often: the first look may still see the load
// before.
constexpr double kCappedShare = 0.3;
// Work handed over ahead of the device, so that it never waits for the host.
constexpr double kQueue = 0.06;
constexpr int kMostQueued = 3;
// Between looks at what has been measured so far.
constexpr double kLook = 0.02;

Nanos nanos(double time_s) { return static_cast<Nanos>(time_s * 1e9); }

Error unavailable(std::string message, std::string hint = "") {
  return {ErrorCode::kUnavailable, std::move(message), std::move(hint)};
}

std::string text_of(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

Status meter_failure(const Watch& watch) {
  if (watch.failure() == Absence::kNone) return {};
  return unavailable("the energy meter stopped answering: " + std::string(name_of(watch.failure())),
                     "wattree meters shows what answers");
}

// Keeps the device busy and writes down what it has done.
class Load {
 public:
  Load(Launch& launch, const Conduct& conduct, const Pauses& pauses)
      : launch_(launch), conduct_(conduct), pauses_(pauses) {
    progress_.add(conduct_.clock.now(), 0);
    paused_.add(conduct_.clock.now(), 0);
  }

  // Some launches, until they are done.
  Status run() {
    const int queued = pauses_.share > 0 || launch_s_ <= 0
                           ? 1
                           : std::clamp(static_cast<int>(kQueue / launch_s_), 1, kMostQueued);
    const Nanos begun = conduct_.clock.now();
    for (int i = 0; i < queued; ++i) {
      if (Status failure = launch_.start(); !failure.ok()) return failure;
    }
    if (Status failure = launch_.wait(); !failure.ok()) return failure;
    const Nanos ended = conduct_.clock.now();
    launch_s_ = seconds(ended - begun) / queued;
    done_ += static_cast<double>(queued) * launch_.copies();
    if (pauses_.share > 0) {
      conduct_.sleep(nanos(pauses_.share * launch_s_));
      paused_s_ += seconds(conduct_.clock.now() - ended);
      paused_.add(conduct_.clock.now(), paused_s_);
    }
    // Rest belongs to the runs before it: progress is linear over both.
    progress_.add(conduct_.clock.now(), done_);
    return {};
  }

  const Progress& progress() const { return progress_; }
  double paused_between(Nanos begun, Nanos ended) const {
    return paused_s_ > 0 ? paused_.at(ended) - paused_.at(begun) : 0.0;
  }

 private:
  Launch& launch_;
  const Conduct& conduct_;
  Pauses pauses_;
  Progress progress_;
  Progress paused_;  // Seconds of rest by when.
  double launch_s_ = 0;
  double done_ = 0;
  double paused_s_ = 0;
};

struct Look {
  LoadWindow window;
  bool is_capped = false;
  bool is_enough = false;
  Seconds settled_after;
};

std::optional<LoadWindow> cut(const Watch& watch, const Progress& progress, Nanos not_before) {
  if (!watch.has_energy()) return cut_timed_window(progress, not_before);
  return cut_window(watch.ticks_from(not_before), progress, not_before);
}

bool is_near_cap(const LoadWindow& window, const Watch& watch, const WindowSettings& settings) {
  const auto power = window.power();
  const auto limit = watch.power_limit_w();
  return power && limit && power->value >= settings.cap_share * *limit;
}

// The best window so far, whether the power cap is felt in it, and whether it will do.
std::optional<Look> look(const Watch& watch, const Progress& progress,
                         const WindowSettings& settings, Nanos begun) {
  const auto window = cut(watch, progress, begun + nanos(settings.settle_s));
  if (!window) return std::nullopt;
  Look out{*window, false, false, Seconds(settings.settle_s)};
  out.is_capped =
      watch.capped_share(window->begun) >= kCappedShare || is_near_cap(*window, watch, settings);
  double wanted_s = settings.window_s;
  if (out.is_capped) {
    wanted_s = settings.capped_window_s;
    const auto later = cut(watch, progress, begun + nanos(settings.capped_settle_s));
    if (!later) return out;
    out.window = *later;
    out.settled_after = Seconds(settings.capped_settle_s);
  }
  out.is_enough = out.window.duration().value >= wanted_s && out.window.runs >= settings.runs &&
                  out.window.relative_error <= settings.relative_error &&
                  std::abs(out.window.drift) <= settings.drift;
  return out;
}

Result<std::optional<Measurement>> measure_round(Launch& launch, const Watch& watch,
                                                 const WindowSettings& settings,
                                                 const Conduct& conduct, const Pauses& pauses) {
  Load load(launch, conduct, pauses);
  const Nanos begun = conduct.clock.now();
  Nanos next_look = begun + nanos(settings.settle_s);
  std::optional<Look> state;
  while (true) {
    if (const Status failure = load.run(); !failure.ok()) return failure.error();
    if (conduct.is_stopped()) return std::optional<Measurement>();
    const Nanos now = conduct.clock.now();
    if (now < next_look) continue;
    next_look = now + nanos(kLook);
    if (const Status failure = meter_failure(watch); !failure.ok()) return failure.error();
    state = look(watch, load.progress(), settings, begun);
    if ((state && state->is_enough) || seconds(now - begun) >= settings.limit_s) break;
  }
  const double load_s = seconds(conduct.clock.now() - begun);
  if (!state) {
    return unavailable(watch.has_energy()
                           ? "the energy counter moved fewer than four times within " +
                                 text_of(load_s) + " s of load"
                           : "fewer than four launches within " + text_of(load_s) + " s",
                       "give each node more time: <node_limit>");
  }
  Measurement out;
  out.window = state->window;
  out.resources = watch.resources(out.window.begun, out.window.ended);
  out.is_capped = state->is_capped;
  out.is_settled = state->is_enough;
  out.settled_after = state->settled_after;
  out.load = Seconds(load_s);
  out.paused = Seconds(load.paused_between(out.window.begun, out.window.ended));
  out.pause_power = pauses.power;
  return std::optional(std::move(out));
}

// The mean of the rounds, and how far it is known from how much they differ.
Measurement mean_of(const std::vector<Measurement>& rounds) {
  Measurement out = rounds.back();
  LoadWindow& window = out.window;
  Joules energy;
  Seconds duration;
  double runs = 0;
  std::vector<double> figures;
  out.is_settled = true;
  out.load = out.paused = Seconds();
  window.ticks = 0;
  for (const Measurement& round : rounds) {
    energy = energy + round.window.energy.value_or(Joules());
    duration = duration + round.window.duration();
    runs += round.window.runs;
    window.ticks += round.window.ticks;
    out.is_capped = out.is_capped || round.is_capped;
    out.is_settled = out.is_settled && round.is_settled;
    out.load = out.load + round.load;
    out.paused = out.paused + round.paused;
    figures.push_back(round.figure());
    if (const auto joules = round.run_energy()) out.round_energies.push_back(*joules);
  }
  if (window.energy) window.energy = energy;
  window.begun = window.ended - nanos(duration.value);
  window.runs = runs;
  const auto count = static_cast<double>(rounds.size());
  const double mean = std::accumulate(figures.begin(), figures.end(), 0.0) / count;
  double squares = 0;
  for (const double value : figures) squares += (value - mean) * (value - mean);
  window.relative_error = std::sqrt(squares / (count - 1) / count) / mean;
  window.drift = figures.back() / figures.front() - 1;
  return out;
}

}  // namespace

WindowSettings whole_settings() { return {}; }

WindowSettings node_settings() {
  WindowSettings out;
  out.settle_s = 0.2;
  out.window_s = 0.3;
  out.capped_settle_s = 1.0;
  out.capped_window_s = 1.0;
  out.drift = 0.03;
  return out;
}

WindowSettings irene_settings(double round_s) {
  constexpr double kEdges = 0.2;  // From tick to tick within the round.
  WindowSettings out;
  out.protocol = kIreneProtocol;
  out.settle_s = out.capped_settle_s = 0;
  out.window_s = out.capped_window_s = std::max(kEdges, round_s - kEdges);
  out.relative_error = 1;
  out.drift = 1;
  out.limit_s = round_s;
  out.rounds = 5;
  return out;
}

Conduct real_conduct(const Clock& clock, std::function<bool()> is_stopped) {
  return {clock,
          [](Nanos duration) { std::this_thread::sleep_for(std::chrono::nanoseconds(duration)); },
          std::move(is_stopped)};
}

std::optional<Joules> Measurement::run_energy() const {
  if (!window.energy) return std::nullopt;
  return Joules((*window.energy - pause_power * paused).value / window.runs);
}

Result<std::optional<Measurement>> measure(Launch& launch, const Watch& watch,
                                           const WindowSettings& settings, const Conduct& conduct,
                                           const Pauses& pauses) {
  if (settings.rounds <= 1) return measure_round(launch, watch, settings, conduct, pauses);
  const std::vector<double> rest = watch.latest_powers(2);
  std::vector<Measurement> rounds;
  for (int i = 0; i < settings.rounds; ++i) {
    // As cool as it was before the first.
    if (i > 0 && !rest.empty()) {
      wait_for_standby(watch, conduct, 1.1 * *std::max_element(rest.begin(), rest.end()));
    }
    Result<std::optional<Measurement>> round =
        measure_round(launch, watch, settings, conduct, pauses);
    if (!round.ok() || !round.value()) return round;
    rounds.push_back(*std::move(round).value());
  }
  return std::optional(mean_of(rounds));
}

Result<std::optional<Idle>> measure_idle(const Watch& watch, const Conduct& conduct,
                                         double duration_s, double limit_s) {
  const Nanos begun = conduct.clock.now();
  while (seconds(conduct.clock.now() - begun) < limit_s) {
    conduct.sleep(nanos(0.05));
    if (conduct.is_stopped()) return std::optional<Idle>();
    const Nanos now = conduct.clock.now();
    if (!watch.has_energy()) {
      if (seconds(now - begun) < duration_s) continue;
      return std::optional(
          Idle{std::nullopt, Seconds(seconds(now - begun)), watch.resources(begun, now)});
    }
    if (const Status failure = meter_failure(watch); !failure.ok()) return failure.error();
    std::vector<Tick> ticks = watch.ticks_from(begun);
    while (!ticks.empty() && ticks.front().after < begun) ticks.erase(ticks.begin());
    if (ticks.size() < 2) continue;
    const double passed = seconds(ticks.back().time() - ticks.front().time());
    if (passed < duration_s) continue;
    const Joules energy = ticks.back().energy - ticks.front().energy;
    return std::optional(Idle{energy / Seconds(passed), Seconds(passed),
                              watch.resources(ticks.front().time(), ticks.back().time())});
  }
  return unavailable(
      "the energy counter did not move enough within " + text_of(limit_s) + " s of idling",
      "wattree meters shows what answers");
}

std::optional<double> wait_for_standby(const Watch& watch, const Conduct& conduct,
                                       std::optional<double> standby_w, double limit_s) {
  constexpr std::size_t kReadings = 5;
  constexpr double kMostChange = 1.03;
  const Nanos begun = conduct.clock.now();
  while (seconds(conduct.clock.now() - begun) < limit_s && !conduct.is_stopped()) {
    const std::vector<double> powers = watch.latest_powers(kReadings);
    if (powers.size() == kReadings) {
      const auto [least, most] = std::minmax_element(powers.begin(), powers.end());
      if (*most <= kMostChange * *least && (!standby_w || *most <= *standby_w)) {
        return seconds(conduct.clock.now() - begun);
      }
    } else if (powers.empty() && seconds(conduct.clock.now() - begun) > 1.0) {
      return std::nullopt;
    }
    conduct.sleep(nanos(0.1));
  }
  return std::nullopt;
}

}  // namespace wattree
