// A tracked run for the terminal.
#pragma once

#include <string>

#include "src/base/error_text.h"
#include "src/runs/track/status.h"

namespace wattree {

// "312 W | 0.42 kWh | 136.7 g CO2e | epoch 3/10 | in all ~1.4 kWh (1.3 to 1.5)"
std::string live_text(const RunStatus& status);

// What it took, by component, with idle and gaps; carbon and its equivalents; epochs and steps.
// `name` is how the shell calls fields of a request.
std::string summary_text(const TrackedRun& run, const Setting& setting, const FieldName& name);

}  // namespace wattree
