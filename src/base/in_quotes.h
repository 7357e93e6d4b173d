// Text from outside, made fit for a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wattree {

// The text in quotes, without control characters (a terminal would obey them) and cut to `at_most`
// bytes.
std::string in_quotes(std::string_view text, std::size_t at_most = 80);

}  // namespace wattree
