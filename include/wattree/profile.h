// What a run took: the profile that `wattree track` writes, or a published one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattree/provenance.h"
#include "wattree/result.h"
#include "wattree/units.h"

namespace wattree {

// What was not measured is absent, never zero.
struct RunEpoch {
  std::optional<Seconds> duration;
  std::optional<Joules> energy;  // Of all devices, idle power included.
};

// One device of the run, over all of it: the epochs and what was outside of them.
struct RunComponent {
  std::string name;  // "gpu0", "package-0".
  std::string kind;  // "gpu", "cpu", "memory" or "machine".
  Joules energy;
  std::optional<Joules> idle;  // What idling would have taken; absent where an epoch has none.
  Provenance provenance;       // As good as its weakest epoch.
};

struct RunProfile {
  std::string name;
  std::string hardware;  // "4 × NVIDIA H200"; empty where the profile names none.
  std::string region;    // "US-GA"; empty where the profile names none.
  std::optional<double> pue;
  std::vector<RunEpoch> epochs;
  std::vector<RunComponent> components;
  std::optional<Joules> energy;          // Of the whole run, at the devices: without PUE.
  std::optional<Joules> outside_energy;  // Of it, what was before, between and after the epochs.
  std::optional<Seconds> duration;       // Absent where an epoch does not say.
  std::optional<Provenance> provenance;  // Of `energy`.
};

// A file of Wattree's or EnergyVis's format, or an HTML report with a profile in it.
Result<RunProfile> read_run_profile(const std::filesystem::path& file);
// One of the published runs that come with Wattree, by the name that `wattree profiles` lists.
Result<RunProfile> bundled_run_profile(std::string_view id);

}  // namespace wattree
