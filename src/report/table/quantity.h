// Numbers as people read them: three significant digits and a prefix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/units.h"

namespace wattree {

// "22.0 G", "768", "1.23 T": decimal prefixes, as FLOPs and bytes have them.
std::string with_prefix(double value, std::string_view unit = "");

// "1.20 mJ", "31.5 µs", "12.3 J", "4.50 kJ": three significant digits, prefixes below one too.
std::string with_any_prefix(double value, std::string_view unit);
std::string with_any_prefix(Joules energy);
std::string with_any_prefix(Seconds time);
// "14.9 GiB": memory, whose prefixes are binary.
std::string with_binary_prefix(std::int64_t bytes);
// "1,000,000"
std::string with_commas(std::int64_t value);
// "±4.2 %" for 0.042: the half of an interval relative to its figure.
std::string plus_minus(double spread);

// A bar of `width` cells for a share between 0 and 1, to an eighth of a cell.
inline constexpr int kBarCells = 12;  // As wide as bars in tables are.
std::string bar(double share, int width);

}  // namespace wattree
