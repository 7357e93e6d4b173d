#include "src/runs/store/sqlite/open_database.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "src/base/file.h"
#include "src/base/file_error.h"
#include "src/base/output_file.h"
#include "src/runs/store/sqlite/migrations.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause(5), kPatience(5000);

// Readers and a writer do not wait for each other. FULL: what was answered survives a power cut.
// A new file is turned over to WAL by one program alone, and SQLite's timeout does not wait for it.
Status use_wal(Database& database) {
  for (std::chrono::milliseconds waited(0);; waited += kPause) {
    database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    Status failure = database.take_failure();
    const bool is_busy = !failure.ok() && failure.error().code == ErrorCode::kUnavailable;
    if (!is_busy || waited >= kPatience) return failure;
    std::this_thread::sleep_for(kPause);
  }
}

Status prepare(Database& database) {
  if (Status failure = use_wal(database); !failure.ok()) return failure;
  return migrate(database);
}

Result<OpenDatabase> in_memory() {
  Result<std::unique_ptr<Database>> memory = Database::open("", DatabaseMode::kMemory);
  if (!memory.ok()) return memory.error();
  return OpenDatabase{std::move(memory).value(), false};
}

// The file is not ours to write to: a copy of it in memory is.
Result<OpenDatabase> copy_in_memory(const fs::path& file) {
  Result<OpenDatabase> copy = in_memory();
  if (!copy.ok()) return copy.error();
  Status failure;
  // A file in a folder that nothing can be put into opens only as one that nobody changes.
  for (const DatabaseMode mode : {DatabaseMode::kReadOnly, DatabaseMode::kImmutable}) {
    const Result<std::unique_ptr<Database>> source = Database::open(file, mode);
    if (!source.ok()) return source.error();
    failure = check_version(*source.value());
    if (failure.ok()) failure = copy.value().database->copy_from(*source.value());
    if (failure.ok()) break;
  }
  if (!failure.ok()) return failure.error();
  if (failure = migrate(*copy.value().database); !failure.ok()) return failure.error();
  return copy;
}

// A new file is its user's alone: it holds who may call a server. SQLite gives the files that it
// puts beside it the same mode. What fails here fails again when it is opened.
void make_private(const fs::path& file) {
  const int made = ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
}

bool may_write(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0 &&
         ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
}

// "wattree.db.before-restore", with a number where that is taken.
Result<fs::path> free_name(const fs::path& file, const std::string& ending) {
  fs::path out = file.string() + ending;
  for (int number = 2;; ++number) {
    const Result<bool> is_taken = file_exists(out);
    if (!is_taken.ok()) return is_taken.error();
    if (!is_taken.value()) return out;
    out = file.string() + ending + "-" + std::to_string(number);
  }
}

// The file with what belongs to it: what was written last may still be in the second.
Status move_away(const fs::path& file, const fs::path& to) {
  for (const char* part : {"-wal", "-shm", ""}) {
    std::error_code error;
    const fs::path from = file.string() + part;
    if (!fs::exists(from, error)) continue;
    fs::rename(from, to.string() + part, error);
    if (error) return file_error("move away", from, error.value());
  }
  return {};
}

Result<std::unique_ptr<Database>> open_backup(const fs::path& backup) {
  std::error_code ignored;
  if (!fs::is_regular_file(backup, ignored)) return file_error("open", backup, ENOENT);
  Result<std::unique_ptr<Database>> out = Database::open(backup, DatabaseMode::kReadOnly);
  if (!out.ok()) return out;
  Status failure = check_version(*out.value());
  if (failure.ok()) {
    const std::string verdict = out.value()->text("PRAGMA integrity_check(1)");
    failure = out.value()->take_failure();
    const bool is_empty = out.value()->number("PRAGMA user_version") == 0;
    if (failure.ok() && (verdict != "ok" || is_empty)) {
      failure = Error{ErrorCode::kInvalidInput, is_empty ? "it is empty" : verdict, ""};
    }
  }
  if (failure.ok()) return out;
  return Error{ErrorCode::kInvalidInput,
               backup.string() + " is no whole backup: " + failure.error().message,
               "nothing was changed"};
}

}  // namespace

Result<OpenDatabase> open_store_file(const fs::path& file, StoreAccess access) {
  std::error_code error;
  const bool exists = !file.empty() && fs::exists(file, error);
  if (access == StoreAccess::kRead && !exists) {
    Result<OpenDatabase> out = in_memory();
    if (!out.ok()) return out;
    if (Status failure = migrate(*out.value().database); !failure.ok()) return failure.error();
    return out;
  }
  if (access == StoreAccess::kRead && !may_write(file)) return copy_in_memory(file);
  if (!exists && file.has_parent_path()) {
    if (!make_private_folder(file.parent_path())) {
      return file_error("create", file.parent_path(), errno);
    }
  }
  make_private(file);
  Result<std::unique_ptr<Database>> database = Database::open(file, DatabaseMode::kCreate);
  if (!database.ok()) return database.error();
  if (Status failure = check_version(*database.value()); !failure.ok()) return failure.error();
  if (Status failure = prepare(*database.value()); !failure.ok()) return failure.error();
  return OpenDatabase{std::move(database).value(), true};
}

Status write_backup(Database& database, const fs::path& file) {
  const Result<bool> is_taken = file_exists(file);
  if (!is_taken.ok()) return is_taken.error();
  if (is_taken.value()) {
    return Error{ErrorCode::kInvalidInput, file.string() + " is there already",
                 "name a new file, so that no backup is overwritten", "file"};
  }
  // Whole or not at all: a half-written one must not be taken for a backup.
  const Result<fs::path> part = free_name(file, ".part");
  if (!part.ok()) return part.error();
  const fs::path& temporary = part.value();
  std::error_code error;
  {
    make_private(temporary);
    Result<std::unique_ptr<Database>> copy = Database::open(temporary, DatabaseMode::kCreate);
    if (!copy.ok()) return file_error("write", file, errno != 0 ? errno : EIO);
    Status failure = copy.value()->copy_from(database);
    if (failure.ok()) {
      copy.value()->run("PRAGMA journal_mode = DELETE");  // One file, which can be moved about.
      failure = copy.value()->take_failure();
    }
    if (!failure.ok()) {
      fs::remove(temporary, error);
      return failure;
    }
  }
  fs::rename(temporary, file, error);
  if (error) return file_error("write", file, error.value());
  return {};
}

Result<fs::path> restore_backup(const fs::path& backup, const fs::path& file) {
  Result<std::unique_ptr<Database>> source = open_backup(backup);
  if (!source.ok()) return source.error();
  std::error_code error;
  fs::path kept;
  if (fs::exists(file, error)) {
    const Result<fs::path> name = free_name(file, ".before-restore");
    if (!name.ok()) return name.error();
    kept = name.value();
    Result<OpenDatabase> present = open_store_file(file, StoreAccess::kWrite);
    if (present.ok()) {
      // Other programs may have it open, and see the backup with their next question.
      Status failure = write_backup(*present.value().database, kept);
      if (failure.ok()) failure = present.value().database->copy_from(*source.value());
      if (failure.ok()) failure = prepare(*present.value().database);
      if (!failure.ok()) return failure.error();
      return kept;
    }
    if (Status failure = move_away(file, kept); !failure.ok()) return failure.error();
  }
  Result<OpenDatabase> fresh = open_store_file(file, StoreAccess::kWrite);
  if (!fresh.ok()) return fresh.error();
  Status failure = fresh.value().database->copy_from(*source.value());
  if (failure.ok()) failure = prepare(*fresh.value().database);
  if (!failure.ok()) return failure.error();
  return kept;
}

}  // namespace wattree
