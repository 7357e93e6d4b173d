// Rows of the table of tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "src/runs/store/sqlite/database.h"
#include "src/runs/store/token.h"

namespace wattree {

std::vector<Token> all_tokens(Database& database);
std::int64_t insert_token(Database& database, const Token& token);
// Marks one that is not revoked yet; whether there was one.
bool revoke_row(Database& database, std::int64_t id, UtcTime now);
void note_use(Database& database, std::int64_t id, UtcTime now);

}  // namespace wattree
