// The store of profiles as a whole: copied to a file, and brought back from one.
#pragma once

#include <filesystem>

#include "src/api/services/services.h"
#include "src/base/result.h"

namespace wattree {

struct BackupRequest {
  std::filesystem::path file;    // A new one.
  std::filesystem::path folder;  // Of profiles; empty: the services'; the same below.
};
Status backup_profiles(const BackupRequest& request, const Services& services);

struct RestoreRequest {
  std::filesystem::path file;  // A backup.
  std::filesystem::path folder;
};
struct RestoreAnswer {
  std::filesystem::path kept;  // Where the former store is now; empty: there was none.
};
Result<RestoreAnswer> restore_profiles(const RestoreRequest& request, const Services& services);

}  // namespace wattree
