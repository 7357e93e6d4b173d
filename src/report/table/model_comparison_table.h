// Models beside each other, for the terminal.
#pragma once

#include <string>

#include "src/predict/estimate/compare_models.h"

namespace wattree {

std::string comparison_table(const ModelComparison& comparison);

}  // namespace wattree
