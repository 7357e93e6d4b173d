// The tables of a store, and how a file of an earlier version becomes one of this version.
#pragma once

#include "src/base/result.h"
#include "src/runs/store/sqlite/database.h"

namespace wattree {

// The version that this program writes. A file says its own in its header ("user_version").
int store_version();

// Whether the file is a store of ours, of a version that this program knows. A file without any
// table is: it becomes one. An error says what it is instead.
Status check_version(Database& database);

// Brings the file to this version, in one transaction: after a crash it is of the old version or of
// the new one. Does nothing to a file that is of it already.
Status migrate(Database& database);

}  // namespace wattree
