#include "src/base/in_quotes.h"

namespace wattree {

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    out += byte < 0x20 || byte == 0x7F || is_c1 ? '?' : text[i];
    if (is_c1) ++i;
  }
  return out;
}

std::string in_quotes(std::string_view text, std::size_t at_most) {
  const bool cut = text.size() > at_most;
  if (cut) {
    text = text.substr(0, at_most);
    // Not in the middle of a UTF-8 character: drop its first bytes, too.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
      text.remove_suffix(1);
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
  }
  return "\"" + printable(text) + (cut ? "...\"" : "\"");
}

}  // namespace wattree
