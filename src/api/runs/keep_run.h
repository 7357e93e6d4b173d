// The profile of a run that has ended, and what to do where it cannot be written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

// Writes it to `output`, or among the profiles in `folder` where that is empty. Returns the file.
Result<std::filesystem::path> keep_profile(const Profile& profile,
                                           const std::filesystem::path& output,
                                           const std::filesystem::path& folder);

// What will be in the way of writing the profile, as far as that can be known before. No reason not
// to run: the journal has everything.
std::optional<std::string> obstacle_to(const std::filesystem::path& output);

// How to get a profile that could not be written: from the journal or, where there is none either,
// from the folder for temporary files.
std::string other_way(const Profile& profile, const std::filesystem::path& journal);

}  // namespace wattree
