// A run that nobody has made yet: passes of a model, as a predictor sees them.
#pragma once

#include <optional>

#include "src/api/model/model_source.h"
#include "src/base/result.h"
#include "src/runs/profile/profile.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

class JsonFields;

struct PredictedRunRequest {
  ModelRef model;
  PassShape pass;
  PredictorRef predictor;
  std::optional<double> passes;  // Forward passes in the whole run; absent: one in each epoch.
  // For training: so many forward passes are assumed to take what a step does. Absent: the run only
  // makes forward passes.
  std::optional<double> factor;
};
// "other_model", "other_batch", "other_seq", "other_dtype", "other_on", "other_passes" and
// "other_factor"; absent where there is no model.
std::optional<PredictedRunRequest> read_predicted_run(JsonFields& fields);

// The passes spread evenly over the baseline's epochs, planned ones included, where the baseline
// is. It has as many epochs as the baseline has recorded, or `epochs` where that is more.
Result<OtherRun> predicted_run(const PredictedRunRequest& request, const Profile& baseline,
                               std::optional<std::size_t> epochs, const Services& services);

}  // namespace wattree
