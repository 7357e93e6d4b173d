// Flags that choose a predictor, and flags about what a service of the model takes.
#pragma once

#include "src/api/predict.h"

namespace CLI {
class App;
}

namespace wattree {

void describe_predictor(CLI::App& command, PredictorRef& predictor);
void describe_totals(CLI::App& command, TotalsRequest& request);

}  // namespace wattree
