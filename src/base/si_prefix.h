// Amounts with a prefix, as tables and sentences have them.
#pragma once

#include <string>
#include <string_view>

namespace wattree {

// "1.20 mJ", "31.5 µs", "12.3 J", "4.50 kJ": three significant digits, from nano to peta.
std::string with_si_prefix(double value, std::string_view unit);

}  // namespace wattree
