// The predictors that have names here: where each comes from and how far to trust it.
#pragma once

#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/predict/predictor/loaded_predictor.h"

namespace wattree {

struct PredictorsAnswer {
  NamedPredictors named;
  // Devices that nobody measured, whose predictors are scaled by their datasheets.
  std::vector<Device> by_datasheet;
};
PredictorsAnswer predictors(const Services& services);

// The contract of docs/schemas/predictors.schema.json. Paths are not in it.
std::string to_json(const PredictorsAnswer& answer);

}  // namespace wattree
