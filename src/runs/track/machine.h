// What a run runs on, as far as the machine itself says.
#pragma once

#include <filesystem>
#include <vector>

#include "src/measure/meter/meter.h"
#include "src/runs/profile/profile.h"

namespace wattree {

// GPUs by their meters, processors by /proc/cpuinfo.
std::vector<HardwareEntry> find_hardware(const Meters& meters,
                                         const std::filesystem::path& proc_root);

}  // namespace wattree
