#include "src/base/json_writer.h"

#include <charconv>
#include <cmath>

namespace wattree {

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
  char buffer[32];
  text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  needs_comma_ = true;
}

void JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  needs_comma_ = true;
}

void JsonWriter::null() {
  separate();
  text_ += "null";
  needs_comma_ = true;
}

void JsonWriter::quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  text_ += '"';
  for (const char c : text) {
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text_ += "\\u00";
          text_ += kHex[(c >> 4) & 0xf];
          text_ += kHex[c & 0xf];
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
}

}  // namespace wattree
