// Wattree in C++: model trees, predictions and profiles of runs. Link wattree::cpp (CMake) or
// wattree-cpp (pkg-config). docs/library.md shows how. For C, and for training programs that only
// tell a tracker of their epochs, there are wattree/track.h and wattree/cost.h.
#pragma once

#include <string_view>

#include "wattree/predict.h"
#include "wattree/profile.h"
#include "wattree/provenance.h"
#include "wattree/result.h"
#include "wattree/tree.h"
#include "wattree/units.h"

namespace wattree {

// "0.1.0"
std::string_view version();

}  // namespace wattree
