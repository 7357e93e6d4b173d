// Evaluations as JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "src/predict/evaluate/study.h"

namespace wattree {

// The contract of docs/schemas/evaluate.schema.json.
std::string to_json(const EvaluateAnswer& answer);

// Every node's held-out prediction, one JSON object a line, in pieces. The errors in the answer are
// the means of theirs.
void write_predictions(const EvaluateInput& input, const EvaluateAnswer& answer,
                       const std::function<void(std::string_view)>& write);

}  // namespace wattree
