#include "src/base/error_text.h"

#include "src/base/json_writer.h"

namespace wattree {
namespace {

bool is_field_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

std::string with_fields_named(std::string_view text, const FieldName& name) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at + 1;
    if (text[at] == '<') {
      while (end < text.size() && is_field_letter(text[end])) ++end;
      const bool is_mention = end < text.size() && text[end] == '>' && end > at + 1;
      const std::string shown = is_mention ? name(text.substr(at + 1, end - at - 1)) : "";
      if (!shown.empty()) {
        out += shown;
        at = end;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

Error with_fields_named(Error error, const FieldName& name) {
  error.message = with_fields_named(error.message, name);
  error.hint = with_fields_named(error.hint, name);
  if (const std::string shown = name(error.field); !shown.empty()) error.field = shown;
  return error;
}

std::string plain_field_name(std::string_view field) { return std::string(field); }

std::string to_json(const Error& error) {
  JsonWriter out;
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.field("code", meaning_of(error.code).name);
  if (!error.reason.empty()) out.field("reason", error.reason);
  out.field("message", error.message);
  if (!error.field.empty()) out.field("field", error.field);
  out.field("hint", error.hint);
  out.end_object();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
