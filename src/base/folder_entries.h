// What is in a folder.
#pragma once

#include <filesystem>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// The paths of all that is in a folder, sorted. An error that names the folder where it cannot be
// read, or not to its end: half a list would pass for a whole one.
Result<std::vector<std::filesystem::path>> folder_entries(const std::filesystem::path& folder);

}  // namespace wattree
