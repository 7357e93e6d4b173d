#include "src/runs/store/sqlite/sqlite_library.h"

#include <dlfcn.h>

#include <string>

namespace wattree {
namespace {

Error missing(const std::string& why) {
  return {ErrorCode::kUnavailable, "SQLite, which keeps the profiles, cannot be used: " + why,
          "install it (Debian, Ubuntu: apt install libsqlite3-0)"};
}

Result<SqliteLibrary> load() {
  void* library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return missing(dlerror());
  SqliteLibrary out;
  bool is_complete = true;
#define WATTREE_FIND(name)                                                           \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, "sqlite3_" #name)); \
  is_complete = is_complete && out.name != nullptr;
  WATTREE_SQLITE_FUNCTIONS(WATTREE_FIND)
#undef WATTREE_FIND
  if (!is_complete) return missing("functions are missing from it");
  return out;
}

}  // namespace

const Result<SqliteLibrary>& sqlite_library() {
  static const Result<SqliteLibrary> library = load();
  return library;
}

}  // namespace wattree
