// How a number came about, for the terminal.
#pragma once

#include <string>

#include "src/predict/estimate/explain.h"

namespace wattree {

std::string explanation_text(const Prediction& prediction, const Explanation& explanation);

}  // namespace wattree
