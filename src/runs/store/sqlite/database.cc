#include "src/runs/store/sqlite/database.h"

#include <chrono>
#include <thread>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// Longer than any transaction of ours takes on a slow disk.
constexpr int kBusyMilliseconds = 10'000;
constexpr int kPauseMilliseconds = 20;

bool is_busy(int code) { return code == SQLITE_BUSY || code == SQLITE_LOCKED; }

constexpr char kDamagedHint[] =
    "`wattree profiles restore BACKUP` puts a backup in its place and keeps the damaged file; "
    "without a backup, move the file away: profiles that were tracked here are taken in again from "
    "their folder";

// For the user; the file is not named, because a server shows this to others.
Error error_of(int extended, const char* message) {
  switch (extended & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable,
              "the store of profiles is busy: another program writes to it", "try again"};
    case SQLITE_FULL:
      return {ErrorCode::kUnavailable, "the store of profiles cannot grow: the disk is full",
              "nothing was changed; make room and try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {ErrorCode::kPermission,
              std::string("the store of profiles cannot be opened for writing: ") + message,
              "is its folder there, and may you write to it?"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::kInvalidInput, std::string("the store of profiles is damaged: ") + message,
              kDamagedHint};
    case SQLITE_IOERR:
      return {ErrorCode::kUnavailable,
              std::string("the store of profiles cannot be read or written: ") + message,
              "is the disk full or failing?"};
    default: return {ErrorCode::kInternal, std::string("the store of profiles: ") + message, ""};
  }
}

// A path as a URI of SQLite's, which can say more about how it is opened.
Result<std::string> uri_of(const fs::path& file, std::string_view parameters) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::error_code error;  // As in a folder that is gone by now.
  const fs::path absolute = fs::absolute(file, error);
  if (error) return file_error("open", file, error.value());
  std::string out = "file:";
  for (const char c : absolute.string()) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out.append(parameters);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const fs::path& file, DatabaseMode mode) {
  const Result<SqliteLibrary>& library = sqlite_library();
  if (!library.ok()) return library.error();
  std::string name = ":memory:";
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  switch (mode) {
    case DatabaseMode::kCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
    case DatabaseMode::kExisting: flags |= SQLITE_OPEN_READWRITE; break;
    case DatabaseMode::kReadOnly:
    case DatabaseMode::kImmutable: flags |= SQLITE_OPEN_READONLY; break;
    case DatabaseMode::kMemory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY; break;
  }
  if (mode != DatabaseMode::kMemory) {
    Result<std::string> uri = uri_of(file, mode == DatabaseMode::kImmutable ? "?immutable=1" : "");
    if (!uri.ok()) return uri.error();
    name = std::move(uri).value();
  }
  sqlite3* handle = nullptr;
  const int code = library.value().open_v2(name.c_str(), &handle, flags, nullptr);
  if (handle == nullptr) return Error{ErrorCode::kInternal, "SQLite: out of memory", ""};
  std::unique_ptr<Database> out(new Database(library.value(), handle));
  out->note(code);
  library.value().busy_timeout(handle, kBusyMilliseconds);
  out->run("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;");
  if (Status failure = out->take_failure(); !failure.ok()) return failure.error();
  return out;
}

Database::~Database() {
  for (const auto& [sql, statement] : prepared_) library_.finalize(statement);
  library_.close_v2(handle_);
}

void Database::note(int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE || !failure_.ok()) return;
  failure_ = error_of(library_.extended_errcode(handle_), library_.errmsg(handle_));
}

void Database::fail(Error error) {
  if (failure_.ok()) failure_ = std::move(error);
}

Status Database::take_failure() { return std::exchange(failure_, Status()); }

void Database::run(const char* sql) {
  if (ok()) note(library_.exec(handle_, sql, nullptr, nullptr, nullptr));
}

std::optional<std::int64_t> Database::number(const char* sql) {
  Statement statement(*this, sql);
  if (!statement.step()) return std::nullopt;
  return statement.maybe_whole(0);
}

std::string Database::text(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : "";
}

int Database::changes() const { return library_.changes(handle_); }

Status Database::copy_from(Database& from) {
  sqlite3_backup* backup = library_.backup_init(handle_, "main", from.handle_, "main");
  if (backup == nullptr) {
    note(SQLITE_ERROR);
    return take_failure();
  }
  // The busy timeout is not for copies.
  int code = library_.backup_step(backup, -1);
  for (int waited = 0; waited < kBusyMilliseconds && is_busy(code); waited += kPauseMilliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMilliseconds));
    code = library_.backup_step(backup, -1);
  }
  const int finished = library_.backup_finish(backup);
  if (code == SQLITE_DONE && finished == SQLITE_OK) return {};
  return error_of(code == SQLITE_DONE ? finished : code, library_.errmsg(handle_));
}

Statement::Statement(Database& database, std::string_view sql)
    : database_(database), library_(database.library_) {
  if (!database.ok()) return;
  const auto known = database.prepared_.find(sql);
  if (known != database.prepared_.end()) {
    statement_ = known->second;
    return;
  }
  database.note(library_.prepare_v3(database.handle_, sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  if (statement_ != nullptr) database.prepared_.emplace(std::string(sql), statement_);
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  library_.reset(statement_);
  library_.clear_bindings(statement_);
}

Statement& Statement::bind(std::string_view text) {
  if (statement_ != nullptr) {
    // A view of nothing has no address, and would be NULL.
    database_.note(library_.bind_text64(statement_, ++bound_, text.empty() ? "" : text.data(),
                                        text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  if (statement_ != nullptr) database_.note(library_.bind_int64(statement_, ++bound_, number));
  return *this;
}

Statement& Statement::bind(double number) {
  if (statement_ != nullptr) database_.note(library_.bind_double(statement_, ++bound_, number));
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  if (statement_ != nullptr) {
    database_.note(library_.bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(),
                                        bytes.size(), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bind_null() {
  if (statement_ != nullptr) database_.note(library_.bind_null(statement_, ++bound_));
  return *this;
}

bool Statement::step() {
  if (statement_ == nullptr || !database_.ok()) return false;
  const int code = library_.step(statement_);
  database_.note(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::is_null(int column) const {
  return library_.column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::whole(int column) const {
  return library_.column_int64(statement_, column);
}

double Statement::number(int column) const { return library_.column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* text = library_.column_text(statement_, column);
  if (text == nullptr) return "";
  const auto size = static_cast<std::size_t>(library_.column_bytes(statement_, column));
  return {reinterpret_cast<const char*>(text), size};
}

std::string Statement::blob(int column) const {
  const void* bytes = library_.column_blob(statement_, column);
  if (bytes == nullptr) return "";
  const auto size = static_cast<std::size_t>(library_.column_bytes(statement_, column));
  return {static_cast<const char*>(bytes), size};
}

std::optional<std::int64_t> Statement::maybe_whole(int column) const {
  if (is_null(column)) return std::nullopt;
  return whole(column);
}

std::optional<double> Statement::maybe_number(int column) const {
  if (is_null(column)) return std::nullopt;
  return number(column);
}

SqlValue Statement::value(int column) const {
  switch (library_.column_type(statement_, column)) {
    case SQLITE_INTEGER: return whole(column);
    case SQLITE_FLOAT: return number(column);
    default: return text(column);
  }
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
  is_open_ = database_.ok();
}

Transaction::~Transaction() {
  if (!is_open_) return;
  // After some errors SQLite has rolled back already. What went wrong is kept.
  Status failure = database_.take_failure();
  if (database_.library_.get_autocommit(database_.handle_) == 0) database_.run("ROLLBACK");
  (void)database_.take_failure();
  if (!failure.ok()) database_.fail(failure.error());
}

Status Transaction::commit() {
  if (database_.ok()) {
    database_.run("COMMIT");
    if (database_.ok()) is_open_ = false;
  }
  if (database_.ok()) return {};
  Status failure = database_.take_failure();
  if (is_open_ && database_.library_.get_autocommit(database_.handle_) == 0) {
    database_.run("ROLLBACK");
    (void)database_.take_failure();
  }
  is_open_ = false;
  return failure;
}

}  // namespace wattree
