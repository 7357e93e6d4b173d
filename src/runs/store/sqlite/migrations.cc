#include "src/runs/store/sqlite/migrations.h"

#include <array>
#include <string>

namespace wattree {
namespace {

// "watt": tells a store from other files of SQLite's.
constexpr std::int64_t kApplication = 0x77617474;

// Step i makes version i + 1 of version i. A step that was released is never changed: a mistake in
// it is repaired by the next one.
constexpr std::array<const char*, 3> kSteps{
    // 1: profiles with what a list shows of them; their texts apart, so that a list does not read
    // them; tags; the files of the folder that were taken in.
    R"sql(
CREATE TABLE profiles (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  is_renamed INTEGER NOT NULL DEFAULT 0,
  author TEXT NOT NULL,
  region TEXT NOT NULL,
  location TEXT NOT NULL,
  hardware TEXT NOT NULL,
  status TEXT NOT NULL,
  origin TEXT NOT NULL,
  error TEXT NOT NULL,
  epochs INTEGER NOT NULL,
  planned_epochs INTEGER,
  duration_s REAL,
  energy_j REAL,
  outside_j REAL,
  basis TEXT,
  basis_by TEXT,
  boundary TEXT,
  started_us INTEGER,
  added_us INTEGER NOT NULL,
  deleted_us INTEGER
) STRICT;
CREATE INDEX profiles_deleted ON profiles (deleted_us) WHERE deleted_us IS NOT NULL;
CREATE TABLE documents (
  profile INTEGER PRIMARY KEY REFERENCES profiles (key) ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  zlib BLOB NOT NULL
) STRICT;
CREATE TABLE tags (
  profile INTEGER NOT NULL REFERENCES profiles (key) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (profile, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag, profile);
CREATE TABLE files (
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  reader TEXT NOT NULL,
  profile INTEGER REFERENCES profiles (key) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_profile ON files (profile);
)sql",
    // 2: tokens of those who may call a server.
    R"sql(
CREATE TABLE tokens (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  sha256 BLOB NOT NULL UNIQUE,
  created_us INTEGER NOT NULL,
  expires_us INTEGER,
  used_us INTEGER,
  revoked_us INTEGER
) STRICT;
)sql",
    // 3: trackers on other machines that a server follows.
    R"sql(
CREATE TABLE links (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL,
  token TEXT NOT NULL
) STRICT;
)sql",
};

}  // namespace

int store_version() { return static_cast<int>(kSteps.size()); }

Status check_version(Database& database) {
  const std::int64_t version = database.number("PRAGMA user_version").value_or(0);
  const std::int64_t tables = database.number("SELECT count(*) FROM sqlite_schema").value_or(0);
  // Last: whoever makes the tables meanwhile writes it with them.
  const std::int64_t application = database.number("PRAGMA application_id").value_or(0);
  if (Status failure = database.take_failure(); !failure.ok()) return failure;
  if (application != kApplication && (application != 0 || version != 0 || tables != 0)) {
    return Error{ErrorCode::kInvalidInput, "the store of profiles is a database of another program",
                 "name another file, or move this one away"};
  }
  if (version > store_version()) {
    return Error{ErrorCode::kInvalidInput,
                 "the store of profiles was written by a newer wattree: it is of version " +
                     std::to_string(version) + ", and this one knows " +
                     std::to_string(store_version()),
                 "update wattree; nothing was changed"};
  }
  return {};
}

Status migrate(Database& database) {
  if (Status failure = check_version(database); !failure.ok()) return failure;
  if (database.number("PRAGMA user_version") == store_version()) return database.take_failure();
  Transaction transaction(database);
  // Another program may have done it in the meantime.
  const auto version = static_cast<std::size_t>(database.number("PRAGMA user_version").value_or(0));
  for (std::size_t step = version; step < kSteps.size(); ++step) database.run(kSteps[step]);
  database.run(("PRAGMA application_id = " + std::to_string(kApplication)).c_str());
  database.run(("PRAGMA user_version = " + std::to_string(store_version())).c_str());
  return transaction.commit();
}

}  // namespace wattree
