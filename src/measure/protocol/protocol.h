// The protocol: how the energy and time of one run of a node are measured.
//
// The load runs back to back. After it has settled, a window is cut between two ticks of the energy
// counter; it grows until the energy of one run is known well enough. At the power cap the limiter
// swings for a while, so settling and window are longer there. Energy is gross: what the device
// would have drawn idle is in it, and is recorded beside it.
#pragma once

#include <functional>

#include "src/base/result.h"
#include "src/measure/protocol/watch.h"
#include "src/measure/runner/launch.h"
#include "src/measure/windows/window.h"

namespace wattree {

struct WindowSettings {
  std::string_view protocol = kNativeProtocol;
  double settle_s = 0.25;
  double window_s = 0.5;
  double capped_settle_s = 1.2;
  double capped_window_s = 1.5;
  double runs = 10;  // At least so many in a window.
  double relative_error = 0.01;
  double drift = 0.02;      // Between the halves of a window.
  double limit_s = 5.0;     // For one measurement, whatever it has reached by then.
  double cap_share = 0.97;  // Of the power limit: from here on the cap is taken to be felt.
  int rounds = 1;           // Each a window of its own, with rest in between; then their mean.
};
WindowSettings whole_settings();
// Of single nodes there are many and of whole passes few, so a node gets less time.
WindowSettings node_settings();
// As IrEne's authors measured: five rounds of 20 s, or less, from the first run on, with rest in
// between.
WindowSettings irene_settings(double round_s = 20);

// How time passes: tests have their own.
struct Conduct {
  Clock clock;
  std::function<void(Nanos)> sleep;
  std::function<bool()> is_stopped = [] { return false; };  // The user has had enough.
};
Conduct real_conduct(const Clock& clock, std::function<bool()> is_stopped);

// Rest after every launch, so that a heavy node draws less on average than the power cap, and its
// clock is the one it has within a model.
struct Pauses {
  double share = 0;  // Of the time the launch before took; 0: none.
  Watts power;       // While resting.
};

struct Measurement {
  LoadWindow window;
  Resources resources;
  bool is_capped = false;
  bool is_settled = false;  // Otherwise the time ran out before the aims were met.
  Seconds settled_after;
  Seconds load;                        // From the first launch to the last.
  Seconds paused;                      // Of the window: rest between launches.
  Watts pause_power;                   // What was taken off for it.
  std::vector<Joules> round_energies;  // Of several rounds: a run's in each; none without a meter.

  // Of one run, rest taken off.
  Seconds run_time() const { return Seconds((window.duration() - paused).value / window.runs); }
  std::optional<Joules> run_energy() const;
  // What anchors and rounds are compared by: energy, or time where nothing measures it.
  double figure() const { return run_energy() ? run_energy()->value : run_time().value; }
};

// Runs the launch until its energy is known, or until the time is up; nothing where the user has
// had enough. Errors: what the launch says; kUnavailable where the meter stopped answering or too
// few ticks came.
Result<std::optional<Measurement>> measure(Launch& launch, const Watch& watch,
                                           const WindowSettings& settings, const Conduct& conduct,
                                           const Pauses& pauses = {});

struct Idle {
  std::optional<Watts> power;
  Seconds duration;
  Resources resources;
};
// The power of a machine that has nothing to do, between ticks. Without an energy meter: only what
// processors and memory did. Nothing where the user has had enough.
Result<std::optional<Idle>> measure_idle(const Watch& watch, const Conduct& conduct,
                                         double duration_s = 1.0, double limit_s = 5.0);

// Waits until the device rests: its power readings of half a second differ by no more than 3 %, and
// are at most `standby_w` where that is given. Says how long that took; nothing where it did not
// within `limit_s`, or where there are no readings.
std::optional<double> wait_for_standby(const Watch& watch, const Conduct& conduct,
                                       std::optional<double> standby_w, double limit_s = 10.0);

}  // namespace wattree
