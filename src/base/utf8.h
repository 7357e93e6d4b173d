// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace wattree {

// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace wattree
