// Profiles by name: files, a folder of them, and the ones that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile.h"
#include "src/runs/profile/read.h"

namespace wattree {

// What a name may mean. Whoever asks over a network must not have any file of this machine opened.
enum class ProfileNames { kFilesAndIds, kIds };

// The profile that `name` means: a file of any of the formats, an id in `folder`, or the id of one
// that comes with the program, in this order. Otherwise an error with the nearest ids.
Result<Profile> load_profile(const std::string& name, const std::filesystem::path& folder,
                             ProfileNames names = ProfileNames::kFilesAndIds);

struct KnownProfile {
  std::string id;
  bool is_bundled = false;
  Result<Profile> profile;
};
// Those in the folder, then those that come with the program.
Result<std::vector<KnownProfile>> known_profiles(const std::filesystem::path& folder);

// "4 × GeForce GTX 1080 Ti, 1 × Intel i7 2600K"; empty where the profile names none.
std::string hardware_text(const Profile& profile);
std::string hardware_text(const std::vector<HardwareEntry>& hardware);

}  // namespace wattree
