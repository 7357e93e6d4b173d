#include "src/cli/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace wattree {

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  // 999.5 would be written as 1000.
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  std::string number;
  if (prefix == 0) {
    number = fmt::format("{:.0f}", value);
  } else {
    number = fmt::format("{:.{}f}", value,
                         std::abs(value) < 9.995   ? 2
                         : std::abs(value) < 99.95 ? 1
                                                   : 0);
  }
  std::string suffix(kPrefixes[prefix]);
  suffix += unit;
  return suffix.empty() ? number : number + " " + suffix;
}

std::string bar(double share, int width) {
  constexpr std::array<std::string_view, 9> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const double cells = std::clamp(share, 0.0, 1.0) * width;
  auto eighths = static_cast<int>(std::lround(cells * 8));
  // What rounds to a tenth of a percent is seen.
  if (eighths == 0 && share >= 0.0005) eighths = 1;
  std::string out;
  for (; eighths >= 8; eighths -= 8) out += kEighths[8];
  out += kEighths[static_cast<std::size_t>(eighths)];
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace wattree
