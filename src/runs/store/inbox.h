// The folder that trackers write profiles to, and what comes with the program, as part of a store.
#pragma once

#include <filesystem>

#include "src/base/result.h"
#include "src/runs/store/profile_store.h"

namespace wattree {

// Takes in what is new or has changed since the last time. Files stay where they are, also those
// that cannot be read: they are listed with their error. Does nothing twice, so that any number of
// programs may do it at once, and does not fail where the folder does not exist.
Status take_in(const std::filesystem::path& folder, ProfileStore& store, UtcTime now);

// Deletes the files that purged profiles came from, where they are still what was taken in.
void delete_purged(const std::filesystem::path& folder, const std::vector<FileState>& files);

}  // namespace wattree
