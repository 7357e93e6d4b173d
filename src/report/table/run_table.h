// A tracked run for the terminal.
#pragma once

#include <string>

#include "src/base/error_text.h"
#include "src/runs/track/status.h"

namespace wattree {

// "wattree  312 W  0.42 kWh (assumed)  136.7 g CO2e  epoch 3/10  in all ~1.4 kWh": as many whole
// parts as fit into so many cells, the weightiest at least.
std::string live_text(const RunStatus& status, std::size_t columns);

// What it took, by component, with idle and gaps; carbon and its equivalents; epochs and steps.
// `name` is how the shell calls fields of a request.
std::string summary_text(const TrackedRun& run, const Setting& setting, const FieldName& name);

}  // namespace wattree
