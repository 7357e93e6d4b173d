#include "src/base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "src/base/utf8.h"

namespace wattree {
namespace {

// ASCII that stands for itself.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> out{};
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) out[byte] = byte != '"' && byte != '\\';
  return out;
}();

std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && kIsPlain[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

}  // namespace

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

// What stands between the last value and the next one.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (needs_comma_) text_ += ',';
  if (depth_ > 0) new_line();
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (needs_comma_) new_line();  // Something is in it.
  text_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  needs_comma_ = true;
}

void JsonWriter::value(std::int64_t number) {
  separate();
  char buffer[24];
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  needs_comma_ = true;
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  // Without an exponent it may look like an integer, and readers refuse those that do not fit 64
  // bits.
  constexpr double kLargestInteger = 9.2e18;
  char buffer[32];
  char* const end = buffer + sizeof buffer;
  text_.append(buffer, std::abs(number) < kLargestInteger
                           ? std::to_chars(buffer, end, number).ptr
                           : std::to_chars(buffer, end, number, std::chars_format::scientific).ptr);
  needs_comma_ = true;
}

void JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  needs_comma_ = true;
}

void JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(text);
  end_array();
}

void JsonWriter::null() {
  separate();
  text_ += "null";
  needs_comma_ = true;
}

void JsonWriter::quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  text_ += '"';
  while (!text.empty()) {
    // Most text is plain: as many characters of it as there are, at once.
    const std::size_t plain = plain_length(text);
    text_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default:
        if (length == 0) {
          text_ += "\\ufffd";  // A file's name may be any bytes; JSON may not.
        } else if (static_cast<unsigned char>(c) < 0x20) {
          text_ += "\\u00";
          text_ += kHex[(c >> 4) & 0xf];
          text_ += kHex[c & 0xf];
        } else {
          text_ += text.substr(0, length);
        }
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace wattree
