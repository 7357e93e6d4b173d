// A page of the list of profiles, as SQL.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/runs/store/profile_query.h"
#include "src/runs/store/sqlite/database.h"

namespace wattree {

// What follows "FROM profiles p": conditions, and for a page also order and limit.
struct SqlTail {
  std::string sql;
  std::vector<SqlValue> values;
  void bind_to(Statement& statement) const;
};

// The expression that pages are ordered by, beside the id: a column of every row of a page, from
// which the cursor of the next one is made.
std::string sort_expression(ProfileSort sort);

SqlTail all_matches(const ProfileQuery& query);
// One row more than the limit, so that it is known whether there is another page. An error where
// the cursor is none that next_cursor() made for this order.
Result<SqlTail> one_page(const ProfileQuery& query);

std::string next_cursor(const ProfileQuery& query, const ProfileSummary& last,
                        const SqlValue& sorted_by);

}  // namespace wattree
