// Files of stores: opened, backed up and restored.
#pragma once

#include <filesystem>
#include <memory>

#include "src/base/result.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/store/sqlite/database.h"

namespace wattree {

struct OpenDatabase {
  std::unique_ptr<Database> database;
  bool is_file = false;  // Otherwise a copy in memory, for reading.
};

// Of this version: migrated where it was of an earlier one.
Result<OpenDatabase> open_store_file(const std::filesystem::path& file, StoreAccess access);

// A copy of the database as it is now, whole or not at all.
Status write_backup(Database& database, const std::filesystem::path& file);

// Puts a backup in the place of `file`, also of one that is damaged or in use. Returns where the
// former one is kept; empty where there was none.
Result<std::filesystem::path> restore_backup(const std::filesystem::path& backup,
                                             const std::filesystem::path& file);

}  // namespace wattree
