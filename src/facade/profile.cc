#include "include/wattree/profile.h"

#include <algorithm>

#include "src/facade/plain_error.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

// Over the epochs, and what was outside of them, where they have this component.
RunComponent summed_up(const Profile& profile, const std::string& name) {
  RunComponent sum;
  bool is_first = true;
  for (const Epoch* window : windows_of(profile)) {
    const auto part =
        std::find_if(window->energy.begin(), window->energy.end(),
                     [&](const ComponentEnergy& energy) { return energy.component == name; });
    if (part == window->energy.end()) continue;
    if (is_first) {
      sum = {name, std::string(name_of(part->kind)), part->energy, part->idle, part->provenance};
      is_first = false;
      continue;
    }
    sum.energy = sum.energy + part->energy;
    sum.idle = sum.idle && part->idle ? std::optional(*sum.idle + *part->idle) : std::nullopt;
    sum.provenance = of_sum(sum.provenance, part->provenance);
  }
  return sum;
}

RunProfile public_profile(const Profile& profile) {
  RunProfile out;
  out.name = profile.name;
  out.hardware = hardware_text(profile);
  out.region = profile.region;
  if (profile.pue) out.pue = profile.pue->value;
  for (const Epoch& epoch : profile.epochs) {
    out.epochs.push_back({epoch.duration, device_energy(epoch)});
  }
  for (const std::string& name : component_names(profile)) {
    out.components.push_back(summed_up(profile, name));
  }
  out.energy = device_energy(profile);
  out.outside_energy = outside_energy(profile);
  out.duration = duration(profile);
  out.provenance = provenance(profile);
  return out;
}

}  // namespace

Result<RunProfile> read_run_profile(const std::filesystem::path& file) {
  const Result<ReadProfile> read = read_profile_file(file);
  if (!read.ok()) return plain(read.error());
  return public_profile(read.value().profile);
}

Result<RunProfile> bundled_run_profile(std::string_view id) {
  for (const BundledProfile& bundled : bundled_profiles()) {
    if (bundled.id != id) continue;
    const Result<ReadProfile> read = read_profile(bundled.json, std::string(id));
    if (!read.ok()) return plain(read.error());
    return public_profile(read.value().profile);
  }
  return Error{ErrorCode::kNotFound, "there is no bundled profile \"" + std::string(id) + "\"",
               "`wattree profiles` lists them"};
}

}  // namespace wattree
