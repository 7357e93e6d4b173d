// Where a run that is about to begin takes place, and in what building.
#pragma once

#include <string>
#include <vector>

#include "src/api/runs/track.h"

namespace wattree {

// Region, intensity and PUE. What the user wrote must be right; what was found here (the
// environment, settings files, cloud-init) must not stop a run and becomes a note.
Result<Setting> track_setting(const TrackRequest& request, const Environment& environment,
                              std::vector<std::string>& notes);

}  // namespace wattree
