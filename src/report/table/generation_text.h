// A predicted request for the terminal.
#pragma once

#include <string>

#include "src/predict/estimate/generate.h"

namespace wattree {

// Mentions fields of a request, as errors do.
std::string generation_text(const Generation& generation);

}  // namespace wattree
