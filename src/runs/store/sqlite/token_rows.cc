#include "src/runs/store/sqlite/token_rows.h"

namespace wattree {
namespace {

std::optional<UtcTime> time_in(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return UtcTime(std::chrono::microseconds(row.whole(column)));
}

std::optional<Token> token_in(const Statement& row) {
  const std::optional<TokenScope> scope = parse_token_scope(row.text(2));
  if (!scope) return std::nullopt;
  return Token{row.whole(0),
               row.blob(7),
               row.text(1),
               *scope,
               UtcTime(std::chrono::microseconds(row.whole(3))),
               time_in(row, 4),
               time_in(row, 5),
               time_in(row, 6)};
}

}  // namespace

std::vector<Token> all_tokens(Database& database) {
  Statement rows(
      database,
      "SELECT key, name, scope, created_us, expires_us, used_us, revoked_us, sha256 FROM "
      "tokens ORDER BY key");
  std::vector<Token> out;
  while (rows.step()) {
    if (std::optional<Token> token = token_in(rows)) out.push_back(*std::move(token));
  }
  return out;
}

std::int64_t insert_token(Database& database, const Token& token) {
  Statement insert(database,
                   "INSERT INTO tokens (name, scope, sha256, created_us, expires_us) VALUES (?, ?, "
                   "?, ?, ?) RETURNING key");
  insert.bind(std::string_view(token.name)).bind(name_of(token.scope)).bind_blob(token.hash);
  insert.bind(microseconds(token.created));
  if (token.expires) {
    insert.bind(microseconds(*token.expires));
  } else {
    insert.bind_null();
  }
  const std::int64_t key = insert.step() ? insert.whole(0) : 0;
  insert.run();
  return key;
}

bool revoke_row(Database& database, std::int64_t id, UtcTime now) {
  Statement(database, "UPDATE tokens SET revoked_us = ? WHERE key = ? AND revoked_us IS NULL")
      .bind(microseconds(now))
      .bind(id)
      .run();
  return database.ok() && database.changes() > 0;
}

void note_use(Database& database, std::int64_t id, UtcTime now) {
  Statement(database, "UPDATE tokens SET used_us = ? WHERE key = ?")
      .bind(microseconds(now))
      .bind(id)
      .run();
}

}  // namespace wattree
