// What a run consists of, as JSON: its devices with their published figures, and its meters.
#pragma once

#include <vector>

#include "src/runs/profile/profile.h"
#include "src/runs/whatif/whatif.h"

namespace wattree {

class JsonWriter;

// The field "devices". Figures are those of `changes`, which may have devices of the user's own,
// or else of the table; a device that neither knows has none.
void write_devices(JsonWriter& out, const Profile& profile,
                   const std::vector<HardwareChange>& changes);
// The field "components": what each took in the whole run.
void write_components(JsonWriter& out, const Profile& profile);

}  // namespace wattree
