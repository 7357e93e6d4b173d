// Numbers as people read them: three significant digits and a prefix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wattree {

// "22.0 G", "768", "1.23 T": decimal prefixes, as FLOPs and bytes have them.
std::string with_prefix(double value, std::string_view unit = "");

// A bar of `width` cells for a share between 0 and 1, to an eighth of a cell.
std::string bar(double share, int width);

// Cells a text takes in a terminal: its code points.
std::size_t display_width(std::string_view text);

}  // namespace wattree
