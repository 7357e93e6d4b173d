#include "src/api/runs/open_profiles.h"

#include "src/api/runs/run_request.h"
#include "src/runs/store/inbox.h"

namespace wattree {

std::filesystem::path store_file(const std::filesystem::path& folder, const Services& services) {
  return folder.empty() ? services.store : folder / "wattree.db";
}

UtcTime now(const Services& services) {
  return UtcTime(std::chrono::seconds(services.seconds_since_1970()));
}

Result<std::shared_ptr<ProfileStore>> open_store(const std::filesystem::path& folder,
                                                 const Services& services, StoreAccess access) {
  const std::filesystem::path file = store_file(folder, services);
  // A user without a home has none: what is put there to be kept would be lost.
  if (access == StoreAccess::kWrite && file.empty()) {
    return Error{ErrorCode::kUnavailable, "there is no folder to keep profiles in",
                 "set HOME or XDG_DATA_HOME, or name a folder with <folder>", "folder"};
  }
  if (!services.stores.open) {
    return Error{ErrorCode::kInternal, "no store of profiles was chosen", ""};
  }
  return services.stores.open(file, access);
}

Result<std::shared_ptr<ProfileStore>> open_profiles(const std::filesystem::path& folder,
                                                    const Services& services, StoreAccess access) {
  Result<std::shared_ptr<ProfileStore>> store = open_store(folder, services, access);
  if (!store.ok()) return store;
  const std::filesystem::path inbox = profile_folder(folder, services);
  if (Status failure = take_in(inbox, *store.value(), now(services)); !failure.ok()) {
    return failure.error();
  }
  if (access == StoreAccess::kWrite) {
    const auto purged = store.value()->purge(now(services) - kUndoableFor);
    if (!purged.ok()) return purged.error();
    delete_purged(inbox, purged.value());
  }
  return store;
}

}  // namespace wattree
