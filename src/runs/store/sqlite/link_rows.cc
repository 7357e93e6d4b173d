#include "src/runs/store/sqlite/link_rows.h"

namespace wattree {

std::vector<KeptLink> all_links(Database& database) {
  Statement rows(database, "SELECT key, address, token FROM links ORDER BY key");
  std::vector<KeptLink> out;
  while (rows.step()) out.push_back({rows.whole(0), rows.text(1), rows.text(2)});
  return out;
}

std::int64_t insert_link(Database& database, const KeptLink& link) {
  Statement insert(database, "INSERT INTO links (address, token) VALUES (?, ?) RETURNING key");
  insert.bind(std::string_view(link.address)).bind(std::string_view(link.token));
  const std::int64_t key = insert.step() ? insert.whole(0) : 0;
  insert.run();
  return key;
}

void delete_link(Database& database, std::int64_t id) {
  Statement(database, "DELETE FROM links WHERE key = ?").bind(id).run();
}

}  // namespace wattree
