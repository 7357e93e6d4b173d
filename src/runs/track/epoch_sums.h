// What the epochs of a run took, added up as they come.
#pragma once

#include <cstddef>
#include <optional>

#include "src/base/units.h"
#include "src/runs/whatif/extrapolate.h"

namespace wattree {

class EpochSums {
 public:
  // An epoch with the command's start-up in it (only the first can have it) says less about further
  // ones than those after it.
  void add(Joules energy, std::optional<Seconds> duration, bool has_startup) {
    Parts& parts = has_startup ? startup_ : typical_;
    parts.joules.add(energy.value);
    if (duration) parts.seconds.add(duration->value);
  }

  Joules energy() const { return Joules(startup_.joules.sum() + typical_.joules.sum()); }

  // The sum in joules, or in seconds, after so many further epochs: like the typical ones, where
  // there are any.
  Ahead energy_at(std::size_t ahead) const { return at(&Parts::joules, ahead); }
  Ahead duration_at(std::size_t ahead) const { return at(&Parts::seconds, ahead); }
  // Every epoch says how long it took.
  bool has_durations() const {
    return startup_.seconds.epochs() == startup_.joules.epochs() &&
           typical_.seconds.epochs() == typical_.joules.epochs();
  }
  Seconds duration() const { return Seconds(startup_.seconds.sum() + typical_.seconds.sum()); }

 private:
  struct Parts {
    Extrapolation joules, seconds;
  };

  Ahead at(Extrapolation Parts::*part, std::size_t ahead) const {
    if ((typical_.*part).epochs() == 0) return (startup_.*part).at(ahead);
    Ahead out = (typical_.*part).at(ahead);
    const double once = (startup_.*part).sum();
    out.value += once;
    if (out.low) *out.low += once;
    if (out.high) *out.high += once;
    return out;
  }

  Parts startup_, typical_;
};

}  // namespace wattree
