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

// The profile that `name` means: a file of any of the formats, an id in `folder`, or the id of one
// that comes with the program, in this order. Otherwise an error with the nearest ids.
Result<Profile> load_profile(const std::string& name, const std::filesystem::path& folder);

struct KnownProfile {
  std::string id;
  bool is_bundled = false;
  Result<Profile> profile;
};
// Those in the folder, then those that come with the program.
Result<std::vector<KnownProfile>> known_profiles(const std::filesystem::path& folder);

// A file of any format into the folder; the id it got.
struct ImportedProfile {
  std::string id;
  Profile profile;
  ProfileFormat format = ProfileFormat::kWattree;
};
Result<ImportedProfile> import_profile(const std::filesystem::path& file,
                                       const std::filesystem::path& folder, const std::string& id);

// "4 × GeForce GTX 1080 Ti, 1 × Intel i7 2600K"; empty where the profile names none.
std::string hardware_text(const Profile& profile);

}  // namespace wattree
