// Fewer points of a series, chosen so that a chart of them looks like a chart of all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wattree {

// The positions to keep, rising: the first, the last, and of each of about `most`/2 equal stretches
// the lowest and the highest. All of them where there are no more than `most` (at least 4).
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most);

}  // namespace wattree
