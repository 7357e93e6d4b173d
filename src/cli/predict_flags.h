// Flags that choose a predictor, and flags about what a service of the model takes.
#pragma once

#include <string>

#include "src/cli/cli.h"
#include "src/predict/estimate/totals.h"
#include "src/predict/predictor/loaded_predictor.h"

namespace CLI {
class App;
}

namespace wattree {

struct PredictorFlags {
  std::string file;
  std::string on;
  std::string execution;
};
void describe_predictor(CLI::App& command, PredictorFlags& flags);
Result<LoadedPredictor> find_predictor(const PredictorFlags& flags, const Surroundings& world);

void describe_totals(CLI::App& command, TotalsRequest& request);

}  // namespace wattree
