// What stands in for kernels that were not measured.
#pragma once

#include "src/base/result.h"
#include "src/predict/kernel_fit.h"

namespace wattree {

// Adds, for every precision that was measured, the primitives and some whole passes, each with what
// the shipped predictor says of it, times what the measured kernels took over what it says of them
// (median). Few kernels cannot tell what their sizes cost apart, nor single ones what it takes to
// follow another; on the shape of another device they need to tell only how this one differs.
// Stand-ins weigh little against measurements, and are never counted among them.
Failure add_prior(KernelData& data);

}  // namespace wattree
