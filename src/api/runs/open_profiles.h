// The store of profiles that a request is about.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/base/utc_time.h"
#include "src/runs/store/profile_store.h"

namespace wattree {

// So long can a deleted profile be brought back.
inline constexpr auto kUndoableFor = std::chrono::days(30);

// The services' store, or the one in a folder that was asked for ("wattree.db" there), with all
// that lies in the folder of profiles taken in: also what a tracker wrote while nothing else ran.
Result<std::shared_ptr<ProfileStore>> open_profiles(const std::filesystem::path& folder,
                                                    const Services& services, StoreAccess access);

// The same store as it is, with nothing taken in.
Result<std::shared_ptr<ProfileStore>> open_store(const std::filesystem::path& folder,
                                                 const Services& services, StoreAccess access);

// The file of that store.
std::filesystem::path store_file(const std::filesystem::path& folder, const Services& services);

UtcTime now(const Services& services);

}  // namespace wattree
