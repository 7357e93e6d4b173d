// Any bytes as the target of an HTTP request: what is accepted has no way out of its path, and
// means the same when it is written down again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/utf8.h"
#include "src/server/http/target.h"

namespace {

std::string escaped(std::string_view text, bool keeps_slashes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain || (c == '/' && keeps_slashes)) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<HttpTarget> parsed = parse_http_target(bytes);
  if (!parsed.ok()) {
    if (parsed.error().message.empty() || !is_utf8(parsed.error().field)) __builtin_trap();
    return 0;
  }
  const HttpTarget& target = parsed.value();
  const std::string& path = target.path;
  const bool is_safe = path.starts_with('/') && is_utf8(path) &&
                       path.find("//") == std::string::npos &&
                       (path + "/").find("/../") == std::string::npos &&
                       (path + "/").find("/./") == std::string::npos &&
                       path.find('\\') == std::string::npos && path.find('\0') == std::string::npos;
  if (!is_safe) __builtin_trap();
  std::string again = escaped(path, true);
  char separator = '?';
  for (const auto& [name, value] : target.query) {
    if (!is_utf8(name) || !is_utf8(value)) __builtin_trap();
    again += separator + escaped(name, false) + "=" + escaped(value, false);
    separator = '&';
  }
  const Result<HttpTarget> same = parse_http_target(again);
  if (!same.ok() || same.value().path != path || same.value().query != target.query) {
    __builtin_trap();
  }
  return 0;
}
