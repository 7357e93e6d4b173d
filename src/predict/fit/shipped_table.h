// The table of measured nodes that is shipped with the program (src/measure/shipped), made from
// windows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace wattree {

struct ShippedTable {
  std::string csv;
  std::vector<std::string> problems;  // Windows whose nodes could not be told, and why.
};

// Of the windows in folders like data/h200, and of their files `tf32.jsonl`. Rows are in the order
// of their keys, so that the same folders make the same text.
Result<ShippedTable> shipped_table(const std::vector<std::filesystem::path>& folders);

}  // namespace wattree
