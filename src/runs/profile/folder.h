// A folder of profiles: one JSON file each, its name without .json the profile's id.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

struct StoredProfile {
  std::string id;
  Result<Profile> profile;  // An unreadable file is listed with its error.
};

// By id. A folder that does not exist is empty.
Result<std::vector<StoredProfile>> list_profiles(const std::filesystem::path& folder);

// Writes the profile under an id made from its name, or from `id` where that is not empty; with
// "-2", "-3", … after it where it is taken, so that nothing is overwritten. Returns the id.
Result<std::string> save_profile(const std::filesystem::path& folder, const Profile& profile,
                                 std::string_view id = "");

// The file of an id; an error for an id that could lead out of the folder.
Result<std::filesystem::path> profile_path(const std::filesystem::path& folder,
                                           std::string_view id);

// "Transformer (big), 8 × P100" is "transformer-big-8-p100".
std::string profile_id(std::string_view name);

}  // namespace wattree
