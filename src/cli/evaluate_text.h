// How far predictions are off, as people read it.
#pragma once

#include <string>

#include "src/api/learn/evaluate.h"

namespace wattree {

std::string text_of(const EvaluateAnswer& answer);

}  // namespace wattree
