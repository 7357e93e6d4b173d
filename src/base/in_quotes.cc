#include "src/base/in_quotes.h"

namespace wattree {

std::string in_quotes(std::string_view text, std::size_t at_most) {
  const bool cut = text.size() > at_most;
  if (cut) {
    text = text.substr(0, at_most);
    // Not in the middle of a UTF-8 character: drop its first bytes, too.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  }
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return out + (cut ? "...\"" : "\"");
}

}  // namespace wattree
