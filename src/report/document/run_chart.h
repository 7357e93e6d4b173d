// A run's energy or emissions as a chart that adds up epoch by epoch.
#pragma once

#include <string>

#include "src/base/amounts.h"
#include "src/runs/whatif/curve.h"

namespace wattree {

// Emissions where they are known, else energy, as an SVG with a title, axes, ticks and units;
// dashed where it is extrapolated. Its classes (title, axis, grid, line, ahead, band, dot) are the
// page's to style.
std::string run_chart(const Curve& curve, MassUnit unit);

}  // namespace wattree
