// Any bytes as a profile, in all formats: an error, or a profile that is written and read
// back as it is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/profile/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const Result<ReadProfile> read =
      read_profile({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!read.ok()) return 0;
  const Profile& profile = read.value().profile;
  const Result<Profile> again = read_profile_json(write_profile_json(profile), "again");
  if (!again.ok() || again.value() != profile) __builtin_trap();
  const Result<ReadProfile> page = read_profile(profile_element(profile), "page");
  if (!page.ok() || page.value().profile != profile) __builtin_trap();
  // EnergyVis's format holds less, but what is written must be readable, within its bounds.
  const Result<EnergyVisFile> file = write_energyvis(profile);
  const bool is_sane = device_energy(profile).value_or(Joules()).value < 1e17 &&
                       profile.hardware.size() < 10 && profile.samples.empty();
  if (file.ok() && is_sane && !read_energyvis(file.value().json, "energyvis").ok()) {
    __builtin_trap();
  }
  return 0;
}
