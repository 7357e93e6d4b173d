#include "src/base/si_prefix.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace wattree {

std::string with_si_prefix(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 9> kPrefixes{"n", "µ", "m", "", "k", "M", "G", "T", "P"};
  constexpr std::size_t kOne = 3;
  std::size_t prefix = kOne;
  const double size = std::abs(value);
  double scale = 1;
  // 999.5 would be written as 1000.
  while (size / scale >= 999.5 && prefix + 1 < kPrefixes.size()) {
    scale *= 1000;
    ++prefix;
  }
  while (size > 0 && size / scale < 0.9995 && prefix > 0) {
    scale /= 1000;
    --prefix;
  }
  const double shown = value / scale;
  const int digits = size == 0 ? 0 : std::abs(shown) < 9.995 ? 2 : std::abs(shown) < 99.95 ? 1 : 0;
  std::array<char, 400> buffer{};  // The largest double has 309 digits.
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), shown,
                                 std::chars_format::fixed, digits)
                       .ptr;
  std::string out(buffer.data(), end);
  out += ' ';
  if (size > 0) out += kPrefixes[prefix];
  out += unit;
  return out;
}

}  // namespace wattree
