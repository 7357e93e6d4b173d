// How far a predictor is off on windows that were measured.
#pragma once

#include <string>
#include <vector>

#include "src/predict/evaluate/kernels.h"
#include "src/predict/evaluate/measurements.h"
#include "src/predict/fit/kernel_data.h"

namespace wattree {

// Fails where there are no two models (or families), so that nothing can be left out.
Result<KernelEvaluation> evaluate_on_kernels(const KernelDataAnswer& input, LeaveOut what);

std::vector<std::string> models_fitted_to(const KernelData& data, const Predictor& predictor);

}  // namespace wattree
