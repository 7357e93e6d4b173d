// Texts of profiles as they lie in the database: with zlib, a tenth of their size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

Result<std::string> pack_text(std::string_view text);
// `bytes` is the length of the text; an error where it is another one.
Result<std::string> unpack_text(std::string_view packed, std::int64_t bytes);

}  // namespace wattree
