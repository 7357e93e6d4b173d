// Errors on measured windows, in words and tables.
#pragma once

#include <string>

#include "src/predict/evaluate/windows.h"
#include "src/report/document/document.h"

namespace wattree {

// The same in words and tables, families and models left out, one after the other.
Document kernel_report(const std::string& dataset, const KernelDataAnswer& input,
                       const KernelEvaluation& families, const KernelEvaluation& models,
                       const MeasurementChecks& checks);

// How far a predictor is off on windows, and which of their models it was fitted to.
Document check_report(const std::string& dataset, const KernelDataAnswer& input,
                      const Predictor& predictor, const KernelEvaluation& check);

}  // namespace wattree
