// What would lower a pass's energy, for the terminal.
#pragma once

#include <string>

#include "src/predict/estimate/suggest.h"

namespace wattree {

std::string suggestions_text(const Suggestions& suggestions);

}  // namespace wattree
