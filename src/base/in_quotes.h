// Text from outside, made fit for a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wattree {

// Without control characters, which a terminal would obey: a question mark stands for each.
std::string printable(std::string_view text);

// The text in quotes, printable and cut to `at_most` bytes.
std::string in_quotes(std::string_view text, std::size_t at_most = 80);

}  // namespace wattree
