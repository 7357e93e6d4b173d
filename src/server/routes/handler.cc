#include "src/server/routes/handler.h"

namespace wattree {

HttpAnswer json_answer(std::string text) {
  HttpAnswer out;
  out.body = std::make_shared<const std::string>(std::move(text));
  return out;
}

std::string compact(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool is_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_text && c == '\\' && i + 1 < json.size()) {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') is_text = !is_text;
    if (is_text || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) out += c;
  }
  return out + '\n';
}

}  // namespace wattree
