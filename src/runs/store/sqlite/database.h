// One connection to an SQLite file, its statements and transactions. Used by one thread at a time.
// Errors stay in the connection until somebody asks, as in JsonFields: after the first one nothing
// more is done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "src/base/result.h"
#include "src/base/utc_time.h"
#include "src/runs/store/sqlite/sqlite_library.h"

namespace wattree {

using SqlValue = std::variant<std::int64_t, double, std::string>;

// As moments are kept: since 1970.
inline std::int64_t microseconds(UtcTime time) { return time.time_since_epoch().count(); }

enum class DatabaseMode {
  kCreate,     // To be read and written; made where it is missing.
  kExisting,   // To be read and written; an error where it is missing.
  kReadOnly,   // The file is not changed.
  kImmutable,  // The same, of a file that nobody changes, in a folder that nothing can be put into.
  kMemory      // No file at all.
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file,
                                                DatabaseMode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // One or more statements without parameters or results.
  void run(const char* sql);
  // The first number of the first row; absent where there is no row.
  std::optional<std::int64_t> number(const char* sql);
  std::string text(const char* sql);  // The same; empty where there is none.
  int changes() const;                // Rows that the last statement wrote.

  bool ok() const { return failure_.ok(); }
  // The first error since the last take_failure().
  Status take_failure();
  void fail(Error error);

  // All pages of `from`, in one transaction of this one.
  Status copy_from(Database& from);

 private:
  friend class Statement;
  friend class Transaction;
  Database(const SqliteLibrary& library, sqlite3* handle) : library_(library), handle_(handle) {}
  void note(int code);

  const SqliteLibrary& library_;
  sqlite3* handle_;
  std::map<std::string, sqlite3_stmt*, std::less<>> prepared_;
  Status failure_;
};

// A statement with parameters, prepared once for each connection. Two of the same text must not be
// in use at once.
//
//   Statement find(database, "SELECT id FROM profiles WHERE name = ?");
//   find.bind(name);
//   while (find.step()) use(find.text(0));
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // The next parameter, from the left. Texts and blobs must live until the last step().
  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);
  Statement& bind_blob(std::string_view bytes);
  Statement& bind_null();
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }

  bool step();  // To the next row; false at the end and at an error.
  void run();   // To the end.

  bool is_null(int column) const;
  std::int64_t whole(int column) const;
  double number(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;
  std::optional<std::int64_t> maybe_whole(int column) const;
  std::optional<double> maybe_number(int column) const;
  SqlValue value(int column) const;  // Of a column that is not NULL.

 private:
  Database& database_;
  const SqliteLibrary& library_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// Takes the right to write at once, so that two programs wait for each other and never fail half
// way. Without commit() nothing has happened.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Status commit();  // The first error in it, if there was one; nothing is changed then.

 private:
  Database& database_;
  bool is_open_ = false;
};

}  // namespace wattree
