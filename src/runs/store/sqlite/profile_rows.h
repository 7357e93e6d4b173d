// Rows of the table of profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/store/sqlite/database.h"
#include "src/runs/store/sqlite/page_query.h"

namespace wattree {

// The columns of a summary, of a table called p, and the row that a statement stands on: columns
// after them are the caller's, from kSummaryColumns on.
std::string summary_columns();
inline constexpr int kSummaryColumns = 21;
ProfileSummary summary_in(const Statement& row);  // Without its tags.

struct ProfileRow {
  std::int64_t key = 0;
  ProfileSummary summary;
};
// Deleted ones, too. Absent where there is none, and after an error of the database.
std::optional<ProfileRow> find_row(Database& database, std::string_view id);

std::vector<std::string> tags_of(Database& database, std::int64_t key);
void write_tags(Database& database, std::int64_t key, const std::vector<std::string>& tags);

// The id itself, or with the first number behind it that makes it unique.
std::string free_id(Database& database, const std::string& wanted);

// Writes a new row; its key.
std::int64_t insert_row(Database& database, const ProfileSummary& summary);
// In the place of a row: all but its id, its tags and when it was added; a name that the user gave
// stays.
void update_row(Database& database, std::int64_t key, const ProfileSummary& summary);

// A profile as the database has it. Made before a transaction begins: for a long run it takes a
// while.
struct PackedProfile {
  std::int64_t bytes = 0;  // Of the text; 0: there is none.
  std::string zlib;
};
Result<PackedProfile> pack_profile(const Profile& profile);
void write_document(Database& database, std::int64_t key, const PackedProfile& document);
Result<PackedProfile> read_document(Database& database, std::int64_t key);
Result<Profile> unpack_profile(const PackedProfile& document, const std::string& id);

}  // namespace wattree
