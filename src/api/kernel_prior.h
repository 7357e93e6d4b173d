// What stands in for kernels that were not measured.
#pragma once

#include "src/base/result.h"
#include "src/predict/kernel_fit.h"

namespace wattree {

// Adds the primitives of every precision that was measured, each with what the shipped predictor
// says of it, times what the measured ones took over what it says of them (median). Few kernels
// cannot tell what their sizes cost apart; on the shape of another device they need to tell only
// how this one differs. They weigh little against measurements, and are never counted among them.
Failure add_prior(KernelData& data);

}  // namespace wattree
