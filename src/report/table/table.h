// Plain aligned tables.
#pragma once

#include <string>
#include <vector>

namespace wattree {

struct Column {
  std::string title;
  bool right = false;  // Numbers.
};

// Columns two spaces apart, as wide as their widest cell; no trailing blanks.
std::string render_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace wattree
