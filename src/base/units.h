// The public units, and what only figures of publishers need.
#pragma once

#include "include/wattree/units.h"

namespace wattree {

inline constexpr double kGramsPerPound = 453.59237;      // Exact: the international pound.
inline constexpr double kGramsPerShortTon = 907'184.74;  // 2000 lb.

}  // namespace wattree
