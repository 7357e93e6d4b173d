// Flags that choose a predictor, and flags about what a service of the model takes.
#pragma once

#include "src/api/predict/predict.h"
#include "src/cli/command_syntax.h"

namespace wattree {

void describe_predictor(CommandSyntax command, PredictorRef& predictor);
void describe_totals(CommandSyntax command, TotalsRequest& request);
// Whether a flag of describe_totals() was typed.
bool asks_for_totals(CommandSyntax command);

}  // namespace wattree
