#include "src/runs/store/sqlite/sqlite_store.h"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <optional>

#include "src/base/in_quotes.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/store/profile_texts.h"
#include "src/runs/store/sqlite/file_rows.h"
#include "src/runs/store/sqlite/link_rows.h"
#include "src/runs/store/sqlite/open_database.h"
#include "src/runs/store/sqlite/profile_rows.h"
#include "src/runs/store/sqlite/token_rows.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

Error not_found(std::string_view id) {
  return {ErrorCode::kNotFound, "there is no profile " + in_quotes(id),
          "`wattree profiles list` shows those there are", "id"};
}

Error is_bundled(std::string_view id) {
  return {ErrorCode::kInvalidInput,
          in_quotes(id) + " comes with wattree: built-in profiles cannot be changed or deleted",
          "`wattree profiles list` shows those of yours, too", "id"};
}

// The row of one that the user may change; deleted ones where `is_deleted`.
Result<ProfileRow> own_row(Database& database, std::string_view id, bool is_deleted) {
  std::optional<ProfileRow> row = find_row(database, id);
  if (Status failure = database.take_failure(); !failure.ok()) return failure.error();
  if (!row || row->summary.deleted.has_value() != is_deleted) return not_found(id);
  if (row->summary.origin == ProfileOrigin::kBundled) return is_bundled(id);
  return *std::move(row);
}

ProfileSummary unreadable(const std::string& id, const Result<Profile>& content) {
  ProfileSummary out;
  out.name = id;
  out.status = ProfileStatus::kUnreadable;
  out.error = content.error().message;
  return out;
}

class SqliteStore final : public ProfileStore {
 public:
  explicit SqliteStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<ProfilePage> list(const ProfileQuery& query) override;
  Result<KeptProfile> find(std::string_view id) override;
  Result<std::vector<ProfileSummary>> add(const std::vector<NewProfile>& profiles) override;
  Result<ProfileSummary> change(std::string_view id, const ProfileChange& change) override;
  Status remove(std::string_view id, UtcTime now) override;
  Result<ProfileSummary> restore(std::string_view id) override;
  Result<std::vector<FileState>> purge(UtcTime deleted_before) override;
  Result<std::vector<FileState>> taken_files() override;
  Status take(const FileState& file, const std::string& id, ProfileOrigin origin,
              const Result<Profile>& content, UtcTime now) override;
  Result<std::int64_t> add_token(const Token& token) override;
  Result<std::vector<Token>> tokens() override;
  Status revoke_token(std::int64_t id, UtcTime now) override;
  Status note_token_use(std::int64_t id, UtcTime now) override;
  Result<std::int64_t> add_link(const KeptLink& link) override;
  Result<std::vector<KeptLink>> links() override;
  Status remove_link(std::int64_t id) override;
  Status backup(const fs::path& file) override;

 private:
  std::mutex mutex_;  // Guards the connection.
  std::unique_ptr<Database> database_;
};

Result<ProfilePage> SqliteStore::list(const ProfileQuery& query) {
  const Result<SqlTail> page = one_page(query);
  if (!page.ok()) return page.error();
  const SqlTail all = all_matches(query);
  ProfilePage out;
  const std::lock_guard lock(mutex_);
  {
    Statement count(*database_, "SELECT count(*) FROM profiles p" + all.sql);
    all.bind_to(count);
    if (count.step()) out.total = count.whole(0);
  }
  std::vector<std::int64_t> keys;
  SqlValue last;
  {
    Statement rows(*database_, "SELECT " + summary_columns() + ", " + sort_expression(query.sort) +
                                   " FROM profiles p" + page.value().sql);
    page.value().bind_to(rows);
    while (rows.step()) {
      if (out.profiles.size() == static_cast<std::size_t>(query.limit)) {
        out.next = next_cursor(query, out.profiles.back(), last);
        break;
      }
      keys.push_back(rows.whole(0));
      out.profiles.push_back(summary_in(rows));
      last = rows.value(kSummaryColumns);
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out.profiles[i].tags = tags_of(*database_, keys[i]);
  }
  if (Status failure = database_->take_failure(); !failure.ok()) return failure.error();
  return out;
}

Result<KeptProfile> SqliteStore::find(std::string_view id) {
  std::optional<ProfileRow> row;
  PackedProfile document;
  {
    const std::lock_guard lock(mutex_);
    row = find_row(*database_, id);
    if (Status failure = database_->take_failure(); !failure.ok()) return failure.error();
    if (!row || row->summary.deleted) return not_found(id);
    if (row->summary.status == ProfileStatus::kUnreadable) {
      return Error{ErrorCode::kInvalidInput, row->summary.error, "", "id"};
    }
    Result<PackedProfile> read = read_document(*database_, row->key);
    if (!read.ok()) return read.error();
    document = std::move(read).value();
  }
  Result<Profile> profile = unpack_profile(document, row->summary.id);
  if (!profile.ok()) return profile.error();
  KeptProfile out{std::move(row->summary), std::move(profile).value()};
  out.profile.name = out.summary.name;
  return out;
}

Result<std::vector<ProfileSummary>> SqliteStore::add(const std::vector<NewProfile>& profiles) {
  std::vector<PackedProfile> documents;
  std::vector<ProfileSummary> out;
  for (const NewProfile& profile : profiles) {
    Result<PackedProfile> document = pack_profile(profile.profile);
    if (!document.ok()) return document.error();
    documents.push_back(std::move(document).value());
    ProfileSummary& summary = out.emplace_back(summary_of(profile.profile));
    summary.origin = profile.origin;
    summary.added = profile.added;
  }
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  for (std::size_t i = 0; i < out.size() && database_->ok(); ++i) {
    out[i].id = free_id(*database_, profiles[i].id);
    const std::int64_t key = insert_row(*database_, out[i]);
    write_document(*database_, key, documents[i]);
    write_tags(*database_, key, profiles[i].tags);
    out[i].tags = tags_of(*database_, key);
  }
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  return out;
}

Result<ProfileSummary> SqliteStore::change(std::string_view id, const ProfileChange& change) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  Result<ProfileRow> found = own_row(*database_, id, false);
  if (!found.ok()) return found.error();
  ProfileRow row = std::move(found).value();
  if (change.name) {
    Statement(*database_, "UPDATE profiles SET name = ?, is_renamed = 1 WHERE key = ?")
        .bind(std::string_view(*change.name))
        .bind(row.key)
        .run();
    row.summary.name = *change.name;
  }
  std::vector<std::string> tags = change.tags.value_or(row.summary.tags);
  tags.insert(tags.end(), change.add_tags.begin(), change.add_tags.end());
  for (const std::string& tag : change.remove_tags) std::erase(tags, tag);
  if (Status failure = check_tags(tags); !failure.ok()) return failure.error();
  write_tags(*database_, row.key, tags);
  row.summary.tags = tags_of(*database_, row.key);
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  return std::move(row.summary);
}

Status SqliteStore::remove(std::string_view id, UtcTime now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  const Result<ProfileRow> row = own_row(*database_, id, false);
  if (!row.ok()) return row.error();
  Statement(*database_, "UPDATE profiles SET deleted_us = ? WHERE key = ?")
      .bind(now.time_since_epoch().count())
      .bind(row.value().key)
      .run();
  return transaction.commit();
}

Result<ProfileSummary> SqliteStore::restore(std::string_view id) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  Result<ProfileRow> row = own_row(*database_, id, true);
  if (!row.ok()) {
    Error error = row.error();
    if (error.code == ErrorCode::kNotFound) {
      error.message = "there is no deleted profile " + in_quotes(id);
      error.hint = "`wattree profiles list` with <deleted> shows those there are";
    }
    return error;
  }
  Statement(*database_, "UPDATE profiles SET deleted_us = NULL WHERE key = ?")
      .bind(row.value().key)
      .run();
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  ProfileSummary out = std::move(row).value().summary;
  out.deleted.reset();
  return out;
}

Result<std::vector<FileState>> SqliteStore::purge(UtcTime deleted_before) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  Statement(*database_, "DELETE FROM profiles WHERE deleted_us < ?")
      .bind(deleted_before.time_since_epoch().count())
      .run();
  // Also those that an earlier purge was interrupted before.
  std::vector<FileState> out = orphaned_files(*database_);
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  return out;
}

Result<std::vector<FileState>> SqliteStore::taken_files() {
  const std::lock_guard lock(mutex_);
  std::vector<FileState> out = known_files(*database_);
  if (Status failure = database_->take_failure(); !failure.ok()) return failure.error();
  return out;
}

Status SqliteStore::take(const FileState& file, const std::string& id, ProfileOrigin origin,
                         const Result<Profile>& content, UtcTime now) {
  ProfileSummary summary = content.ok() ? summary_of(content.value()) : unreadable(id, content);
  PackedProfile document;
  if (content.ok()) {
    Result<PackedProfile> packed = pack_profile(content.value());
    if (!packed.ok()) return packed.error();
    document = std::move(packed).value();
  }
  summary.origin = origin;
  summary.added = now;
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  const std::optional<FileRow> known = find_file(*database_, file.name);
  if (known && known->file == file && known->is_of_this_version) return {};  // Another was quicker.
  std::int64_t key = known ? known->profile.value_or(0) : 0;
  if (key != 0) {
    update_row(*database_, key, summary);
  } else {
    summary.id = free_id(*database_, id);
    // The user's own file of that name hides one that comes with the program.
    if (origin == ProfileOrigin::kBundled && summary.id != id) return {};
    key = insert_row(*database_, summary);
  }
  write_document(*database_, key, document);
  write_file_row(*database_, file, key);
  return transaction.commit();
}

Result<std::int64_t> SqliteStore::add_token(const Token& token) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  const std::int64_t id = insert_token(*database_, token);
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  return id;
}

Result<std::vector<Token>> SqliteStore::tokens() {
  const std::lock_guard lock(mutex_);
  std::vector<Token> out = all_tokens(*database_);
  if (Status failure = database_->take_failure(); !failure.ok()) return failure.error();
  return out;
}

Status SqliteStore::revoke_token(std::int64_t id, UtcTime now) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  const bool is_found = revoke_row(*database_, id, now);
  if (Status failure = transaction.commit(); !failure.ok() || is_found) return failure;
  return Error{ErrorCode::kNotFound, "there is no token " + std::to_string(id) + " to revoke",
               "`wattree token list` shows those there are", "id"};
}

Status SqliteStore::note_token_use(std::int64_t id, UtcTime now) {
  const std::lock_guard lock(mutex_);
  note_use(*database_, id, now);
  return database_->take_failure();
}

Result<std::int64_t> SqliteStore::add_link(const KeptLink& link) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  const std::int64_t id = insert_link(*database_, link);
  if (Status failure = transaction.commit(); !failure.ok()) return failure.error();
  return id;
}

Result<std::vector<KeptLink>> SqliteStore::links() {
  const std::lock_guard lock(mutex_);
  std::vector<KeptLink> out = all_links(*database_);
  if (Status failure = database_->take_failure(); !failure.ok()) return failure.error();
  return out;
}

Status SqliteStore::remove_link(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  Transaction transaction(*database_);
  delete_link(*database_, id);
  return transaction.commit();
}

Status SqliteStore::backup(const fs::path& file) {
  const std::lock_guard lock(mutex_);
  return write_backup(*database_, file);
}

// Which file it is that has a name now; none where there is none.
struct FileMark {
  dev_t device;
  ino_t number;
  bool operator==(const FileMark&) const = default;
};

std::optional<FileMark> mark_of(const fs::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return FileMark{found.st_dev, found.st_ino};
}

fs::path log_of(const fs::path& file) { return file.string() + "-wal"; }

// SQLite would write the log of the former file into the one that is there now.
void remove_log(const fs::path& file, const std::optional<FileMark>& log) {
  if (!log || mark_of(log_of(file)) != log) return;
  std::error_code ignored;
  fs::remove(log_of(file), ignored);
  fs::remove(file.string() + "-shm", ignored);
}

}  // namespace

ProfileStores sqlite_stores() {
  struct OpenedFile {
    std::shared_ptr<ProfileStore> store;
    std::optional<FileMark> mark;
    std::optional<FileMark> log;  // What was written last may still be in it.
  };
  struct Opened {
    std::mutex mutex;
    std::map<fs::path, OpenedFile> stores;  // By file; none in memory alone.
  };
  auto opened = std::make_shared<Opened>();
  ProfileStores out;
  out.open = [opened](const fs::path& file,
                      StoreAccess access) -> Result<std::shared_ptr<ProfileStore>> {
    const std::lock_guard lock(opened->mutex);
    if (const auto known = opened->stores.find(file); known != opened->stores.end()) {
      if (known->second.mark == mark_of(file)) {
        known->second.log = mark_of(log_of(file));
        return known->second.store;
      }
      // Another file has its name, or none: what is written to this one is lost.
      const std::optional<FileMark> log = known->second.log;
      opened->stores.erase(known);
      remove_log(file, log);
    }
    Result<OpenDatabase> found = open_store_file(file, access);
    if (!found.ok()) return found.error();
    OpenDatabase database = std::move(found).value();
    auto store = std::make_shared<SqliteStore>(std::move(database.database));
    if (database.is_file) {
      opened->stores.emplace(file, OpenedFile{store, mark_of(file), mark_of(log_of(file))});
    }
    return std::shared_ptr<ProfileStore>(std::move(store));
  };
  out.restore = [opened](const fs::path& backup, const fs::path& file) -> Result<fs::path> {
    const std::lock_guard lock(opened->mutex);
    opened->stores.erase(file);
    return restore_backup(backup, file);
  };
  return out;
}

}  // namespace wattree
