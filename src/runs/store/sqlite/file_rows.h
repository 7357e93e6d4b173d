// Rows of the table of files that were taken in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/runs/store/profile_store.h"
#include "src/runs/store/sqlite/database.h"

namespace wattree {

// Without those that an earlier version could not read: this one may.
std::vector<FileState> known_files(Database& database);
// Those whose profiles were purged.
std::vector<FileState> orphaned_files(Database& database);

struct FileRow {
  FileState file;
  bool is_of_this_version = false;
  std::optional<std::int64_t> profile;  // The key of its profile; absent where that was purged.
};
std::optional<FileRow> find_file(Database& database, std::string_view name);
void write_file_row(Database& database, const FileState& file, std::int64_t profile);

}  // namespace wattree
