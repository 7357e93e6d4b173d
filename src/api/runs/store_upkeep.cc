#include "src/api/runs/store_upkeep.h"

#include "src/api/runs/open_profiles.h"

namespace wattree {

Status backup_profiles(const BackupRequest& request, const Services& services) {
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(request.folder, services, StoreAccess::kRead);
  if (!store.ok()) return store.error();
  return store.value()->backup(request.file);
}

Result<RestoreAnswer> restore_profiles(const RestoreRequest& request, const Services& services) {
  const std::filesystem::path file = store_file(request.folder, services);
  if (file.empty() || !services.stores.restore) {
    return Error{ErrorCode::kUnavailable, "there is no folder to keep profiles in",
                 "set HOME or XDG_DATA_HOME, or name a folder with <folder>", "folder"};
  }
  Result<std::filesystem::path> kept = services.stores.restore(request.file, file);
  if (!kept.ok()) return kept.error();
  return RestoreAnswer{std::move(kept).value()};
}

}  // namespace wattree
