// Windows of a steady load, cut where the energy counter steps.
//
// A GPU's energy counter stands still for about 100 ms and then jumps. A window that starts and
// ends at jumps has no error from the counter's coarseness; what remains is how well the moments of
// the jumps are known, which is one reading's time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/base/units.h"
#include "src/measure/meter/clock.h"

namespace wattree {

// The meter showed `energy` for the first time at some moment after `after` and not later than
// `before`.
struct Tick {
  Nanos after = 0;
  Nanos before = 0;
  Joules energy;
  Nanos time() const { return after + (before - after) / 2; }
  Seconds uncertainty() const { return Seconds(seconds(before - after) / 2); }
};

// How many runs a load had done by when.
class Progress {
 public:
  void add(Nanos time, double runs);
  bool covers(Nanos time) const;
  // Runs done by then, a part of one included; only where covers(time).
  double at(Nanos time) const;
  // Moments from `from` on at which whole launches were done.
  std::vector<Nanos> times_from(Nanos from) const;

 private:
  std::vector<Nanos> times_;
  std::vector<double> runs_;
};

// Energy, time and runs between two moments of a load, and how sure of one run's share they make
// us. Without a meter, `energy` is absent, and error and drift are those of the time of a run.
struct LoadWindow {
  Nanos begun = 0;
  Nanos ended = 0;
  std::optional<Joules> energy;
  double runs = 0;
  int ticks = 0;
  Seconds tick_uncertainty;   // Of both ends together.
  double relative_error = 0;  // Standard error of a run's energy, over that energy.
  double drift = 0;           // A run's energy in the second half over the first's, less 1.

  Seconds duration() const { return Seconds(seconds(ended - begun)); }
  Seconds run_time() const { return Seconds(duration().value / runs); }
  std::optional<Joules> run_energy() const {
    if (!energy) return std::nullopt;
    return Joules(energy->value / runs);
  }
  std::optional<Watts> power() const {
    if (!energy) return std::nullopt;
    return *energy / duration();
  }
};

// Fewer say nothing of how steady the load was: two make a window.
inline constexpr std::size_t kLeastTicks = 4;

// The longest window between ticks that starts no sooner than that and lies within the progress;
// nothing with fewer than four ticks.
std::optional<LoadWindow> cut_window(std::span<const Tick> ticks, const Progress& progress,
                                     Nanos not_before);
// The same without a meter: between the ends of launches.
std::optional<LoadWindow> cut_timed_window(const Progress& progress, Nanos not_before);

// Standard error of the slope of a straight line through the points, over the slope. The errors at
// the ticks are independent (each moment is read by itself), those of the intervals between them
// are not: so this, and not the spread of the intervals' powers, says how well a run's energy is
// known.
double relative_slope_error(std::span<const double> x, std::span<const double> y);

}  // namespace wattree
