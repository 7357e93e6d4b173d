// Epochs that took much more than the others.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/base/units.h"

namespace wattree {

struct EpochAmount {
  Joules energy;
  std::optional<Seconds> duration;
  bool has_startup = false;
};

struct FlaggedEpoch {
  std::size_t index = 0;  // From 0.
  Joules energy, median, threshold;
  std::string reason;  // In words.
  // Why, where that is known: so many times as long as the median epoch, or so many times its
  // power; or the command's start-up is in it.
  std::optional<double> times_as_long, times_the_power;
  bool has_startup = false;
};

// Those above the median plus three robust deviations. A robust deviation is 1.4826 times the
// median distance from the median, which is the standard deviation where epochs differ by normal
// noise; less than 1 % of the median is no difference worth a flag. None where there are fewer than
// five epochs.
std::vector<FlaggedEpoch> flag_excess(std::span<const EpochAmount> epochs);

}  // namespace wattree
