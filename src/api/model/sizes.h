// Lists and ranges of sizes, as batch sizes and lengths are given.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// "8", "8,16", "32:256:32" (from, to, step; the end is part of it) or both: "1,32:256:32".
// `field` is the request's, for errors.
Result<std::vector<std::int64_t>> parse_sizes(std::string_view field, std::string_view text);

}  // namespace wattree
