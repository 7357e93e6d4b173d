// A run's footprint as a statement to paste into a paper, and as a page to keep.
#pragma once

#include <string>

#include "src/base/amounts.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

// One paragraph, a table of the figures with their bases, and the epochs.
std::string markdown_report(const Footprint& footprint, MassUnit unit);

// The same as one HTML file with a chart. It asks for nothing from anywhere, runs no script, and
// carries its profile, so that it can be imported again.
std::string html_report(const Footprint& footprint, MassUnit unit);

}  // namespace wattree
