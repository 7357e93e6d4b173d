// How far whole passes may be off where only kernels were measured.
#pragma once

#include "src/base/result.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// Sets the predictor's intervals of modules and models. Kernels that were held out are off by so
// much; in a pass many of them run, and what one takes more another takes less. So passes of
// bundled models are put together from kernels that are off as those of their kind were, drawn
// again and again.
Status set_whole_spreads(const KernelData& data, const HeldOutSamples& held_out,
                         Predictor& predictor);

}  // namespace wattree
