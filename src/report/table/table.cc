#include "src/report/table/table.h"

#include <algorithm>

#include "src/base/in_quotes.h"
#include "src/base/text.h"

namespace wattree {

std::string render_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const Column& column : columns) width.push_back(display_width(column.title));
  // Names come from files of others.
  std::vector<std::vector<std::string>> cells = rows;
  for (auto& row : cells) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[i] = printable(row[i]);
      width[i] = std::max(width[i], display_width(row[i]));
    }
  }
  std::string out;
  auto append = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string blanks(width[i] - display_width(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (columns[i].right ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  append(titles);
  for (const auto& row : cells) append(row);
  return out;
}

}  // namespace wattree
