// Small things with text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wattree {

// The candidates most like `word`, best first; only those close enough to be what was meant.
std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t at_most = 3);

// Without white space at its ends.
std::string_view trimmed(std::string_view text);

// The parts of "a;b;c"; none of them is empty.
std::vector<std::string> split(std::string_view list, char separator);

// "a, b and c"
std::string in_words(const std::vector<std::string>& names);

// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

// Cells a text takes in a terminal: its code points.
std::size_t display_width(std::string_view text);

}  // namespace wattree
