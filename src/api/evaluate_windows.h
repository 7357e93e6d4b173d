// Errors on measured windows, as JSON.
#pragma once

#include <string>

#include "src/predict/evaluate/windows.h"

namespace wattree {

// The contract of docs/schemas/evaluate-kernels.schema.json.
std::string to_json(const std::string& dataset, const KernelDataAnswer& input,
                    const KernelEvaluation& evaluation, const MeasurementChecks& checks);

}  // namespace wattree
