// Where a run that is about to begin takes place, and in what building.
#pragma once

#include "src/api/runs/track.h"

namespace wattree {

// Region, intensity and PUE. What the user wrote must be right; what was found here (the
// environment, settings files, cloud-init) must not stop a run: it becomes a note of the plan, and
// where it is wrong and therefore ignored, a warning.
Result<Setting> track_setting(const TrackRequest& request, const Environment& environment,
                              TrackPlan& plan);

}  // namespace wattree
