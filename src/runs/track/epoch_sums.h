// What the epochs of a run took, added up as they come.
#pragma once

#include <cstddef>

#include "src/base/units.h"
#include "src/runs/whatif/extrapolate.h"

namespace wattree {

class EpochSums {
 public:
  // An epoch with the command's start-up in it (only the first can have it) says less about further
  // ones than those after it.
  void add(Joules epoch, bool has_startup) {
    if (has_startup) {
      startup_.add(epoch.value);
    } else {
      typical_.add(epoch.value);
    }
  }

  Joules energy() const { return Joules(startup_.sum() + typical_.sum()); }

  // The sum in joules after so many further epochs: like the typical ones, where there are any.
  Ahead at(std::size_t ahead) const {
    if (typical_.epochs() == 0) return startup_.at(ahead);
    Ahead out = typical_.at(ahead);
    out.value += startup_.sum();
    if (out.low) *out.low += startup_.sum();
    if (out.high) *out.high += startup_.sum();
    return out;
  }

 private:
  Extrapolation startup_, typical_;
};

}  // namespace wattree
