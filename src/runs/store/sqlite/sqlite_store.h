// Profiles in an SQLite file (docs/adr/0026-profiles-in-sqlite.md): the store of one machine.
#pragma once

#include "src/runs/store/profile_stores.h"

namespace wattree {

// Opens files of SQLite's. A file is opened once in a process: whoever asks again gets the same
// store. SQLite itself is loaded with the first one.
ProfileStores sqlite_stores();

}  // namespace wattree
