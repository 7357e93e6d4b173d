// Rows of the table of links.
#pragma once

#include <cstdint>
#include <vector>

#include "src/runs/store/kept_link.h"
#include "src/runs/store/sqlite/database.h"

namespace wattree {

std::vector<KeptLink> all_links(Database& database);
std::int64_t insert_link(Database& database, const KeptLink& link);
void delete_link(Database& database, std::int64_t id);

}  // namespace wattree
