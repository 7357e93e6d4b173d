// Rows of the table of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/runs/store/sqlite/database.h"
#include "src/runs/store/token.h"

namespace wattree {

std::vector<Token> all_tokens(Database& database);
// Of that hash, whether or not it is still good. Absent where there is none, and after an error.
std::optional<Token> token_of_hash(Database& database, std::string_view hash);

std::int64_t insert_token(Database& database, const Token& token, std::string_view hash);
// Marks one that is not revoked yet; whether there was one.
bool revoke_row(Database& database, std::int64_t id, UtcTime now);
void note_use(Database& database, std::int64_t id, UtcTime now);

}  // namespace wattree
