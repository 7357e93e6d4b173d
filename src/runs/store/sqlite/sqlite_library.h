// SQLite, loaded when the first store is opened: most commands open none, and a tracker must stay
// small.
#pragma once

#include <sqlite3.h>

#include "src/base/result.h"

namespace wattree {

// Every function that is used of it.
#define WATTREE_SQLITE_FUNCTIONS(DO) \
  DO(open_v2)                        \
  DO(close_v2)                       \
  DO(extended_errcode)               \
  DO(errmsg)                         \
  DO(busy_timeout)                   \
  DO(exec)                           \
  DO(prepare_v3)                     \
  DO(step)                           \
  DO(reset)                          \
  DO(finalize)                       \
  DO(clear_bindings)                 \
  DO(bind_null)                      \
  DO(bind_int64)                     \
  DO(bind_double)                    \
  DO(bind_text64)                    \
  DO(bind_blob64)                    \
  DO(column_type)                    \
  DO(column_int64)                   \
  DO(column_double)                  \
  DO(column_text)                    \
  DO(column_blob)                    \
  DO(column_bytes)                   \
  DO(changes)                        \
  DO(get_autocommit)                 \
  DO(db_readonly)                    \
  DO(backup_init)                    \
  DO(backup_step)                    \
  DO(backup_finish)

struct SqliteLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member takes none.
#define WATTREE_SQLITE_MEMBER(name) decltype(&sqlite3_##name) name = nullptr;
  WATTREE_SQLITE_FUNCTIONS(WATTREE_SQLITE_MEMBER)
#undef WATTREE_SQLITE_MEMBER
};

// Loaded once, by whichever thread comes first; never unloaded.
const Result<SqliteLibrary>& sqlite_library();

}  // namespace wattree
