// Bytes as text.
#pragma once

#include <string>
#include <string_view>

namespace wattree {

// Digits and small letters, two for each byte.
inline std::string hex_text(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace wattree
