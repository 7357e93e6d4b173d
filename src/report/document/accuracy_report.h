// Every method on one dataset, beside what IrEne's paper says.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/predict/evaluate/study.h"
#include "src/report/document/document.h"

namespace wattree {

// Runs all of it: Wattree's predictor with all that can be known, on models and families left out,
// and IrEne's methods with `seeds` runs each. `progress` is told what begins. Fails where the
// predictor itself cannot be evaluated; what IrEne's methods cannot do is said in the document.
Result<Document> accuracy_report(const StudyData& input, int seeds,
                                 const std::function<void(std::string_view)>& progress);

// A baseline's name as people read it.
std::string title_of(const Baseline& baseline);

}  // namespace wattree
