// What stands in for kernels that were not measured.
#pragma once

#include "src/base/result.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// Adds the primitives of every precision that was measured, each with what the shipped predictor
// says of it, times what the measured kernels took over what it says of them (median). Few kernels
// cannot tell what their sizes cost apart; on the shape of another device they need to tell only
// how this one differs. They weigh little against measurements, and are never counted among them.
Status add_prior(KernelData& data);

// What single kernels cannot tell at all, because each follows its own copies: what it takes to
// follow another one, and to fetch a weight. In the same way from the shipped predictor.
Status assume_sequence(const KernelData& data, Predictor& predictor);

}  // namespace wattree
