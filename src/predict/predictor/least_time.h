// What no kernel can be faster than.
#pragma once

#include "src/predict/predictor/work.h"

namespace wattree {

// Arithmetic at the peak rate of its units, or traffic at the memory's, whichever takes longer, in
// seconds (ADR 22). Traffic is what the last level of cache cannot hold; where weights are fetched,
// also all of a product's weight. Of attention only half of the arithmetic counts: with a causal
// mask the other half is left out.
double least_time(const Work& work, const Peak& peak);

}  // namespace wattree
