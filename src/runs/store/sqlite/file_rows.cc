#include "src/runs/store/sqlite/file_rows.h"

#include "src/base/version.h"

namespace wattree {
namespace {

FileState state_in(const Statement& row) { return {row.text(0), row.whole(1), row.whole(2)}; }

}  // namespace

std::vector<FileState> known_files(Database& database) {
  Statement files(database,
                  "SELECT f.name, f.bytes, f.changed_ns FROM files f LEFT JOIN profiles p ON "
                  "p.key = f.profile WHERE p.error IS NULL OR p.error = '' OR f.reader = ?");
  files.bind(std::string_view(kVersion));
  std::vector<FileState> out;
  while (files.step()) out.push_back(state_in(files));
  return out;
}

std::vector<FileState> orphaned_files(Database& database) {
  Statement files(database, "SELECT name, bytes, changed_ns FROM files WHERE profile IS NULL");
  std::vector<FileState> out;
  while (files.step()) out.push_back(state_in(files));
  return out;
}

std::optional<FileRow> find_file(Database& database, std::string_view name) {
  Statement find(database,
                 "SELECT name, bytes, changed_ns, reader, profile FROM files WHERE name = ?");
  find.bind(name);
  if (!find.step()) return std::nullopt;
  return FileRow{state_in(find), find.text(3) == kVersion, find.maybe_whole(4)};
}

void write_file_row(Database& database, const FileState& file, std::int64_t profile) {
  Statement(database,
            "INSERT OR REPLACE INTO files (name, bytes, changed_ns, reader, profile) VALUES (?, ?, "
            "?, ?, ?)")
      .bind(std::string_view(file.name))
      .bind(file.bytes)
      .bind(file.changed_ns)
      .bind(std::string_view(kVersion))
      .bind(profile)
      .run();
}

}  // namespace wattree
