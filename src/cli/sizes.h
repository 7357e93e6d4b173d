// Lists and ranges of sizes, as -b and -s take them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// "8", "8,16", "32:256:32" (from, to, step; the end is part of it) or both: "1,32:256:32".
Result<std::vector<std::int64_t>> parse_sizes(std::string_view flag, std::string_view text);

}  // namespace wattree
