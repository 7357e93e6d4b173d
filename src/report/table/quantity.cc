#include "src/report/table/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/si_prefix.h"

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

std::string with_any_prefix(double value, std::string_view unit) {
  return with_si_prefix(value, unit);
}

std::string with_any_prefix(Joules energy) { return with_any_prefix(energy.value, "J"); }
std::string with_any_prefix(Seconds time) { return with_any_prefix(time.value, "s"); }

std::string with_binary_prefix(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  auto value = static_cast<double>(bytes);
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1024;
    ++prefix;
  }
  const int digits = prefix == 0 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}B", value, digits, kPrefixes[prefix]);
}

std::string with_commas(std::int64_t value) {
  const std::string digits = std::to_string(value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool is_group = i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-';
    if (is_group) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plus_minus(double spread) {
  const double percent = 100 * spread;
  return fmt::format("±{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
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

}  // namespace wattree
