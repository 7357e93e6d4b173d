// Text as UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace wattree {

// Bytes of the character that `text` begins with; 0 where it begins with none.
std::size_t character_length(std::string_view text);

// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace wattree
