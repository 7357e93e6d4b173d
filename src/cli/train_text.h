// What training has learnt, as people read it.
#pragma once

#include <string>

#include "src/api/learn/train.h"

namespace wattree {

// From what, prices of every kind of work, and errors on what was left out.
std::string text_of(const TrainAnswer& answer);

}  // namespace wattree
