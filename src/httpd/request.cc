#include "src/httpd/request.h"

#include <algorithm>
#include <charconv>

#include "src/base/text.h"

namespace wattree {
namespace {

// RFC 9110's token.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

bool parse_first_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request.method = line.substr(0, first);
  if (!is_token(request.method) || (version != "HTTP/1.1" && version != "HTTP/1.0") ||
      !target.starts_with('/') || !std::all_of(target.begin(), target.end(), is_visible)) {
    return false;
  }
  request.path = target.substr(0, target.find('?'));
  request.query = target.substr(std::min(request.path.size() + 1, target.size()));
  return true;
}

}  // namespace

HttpParse parse_request(std::string_view bytes, HttpRequest& request) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return bytes.size() > kMaxHttpHead ? HttpParse::kTooLarge : HttpParse::kMore;
  }
  if (end > kMaxHttpHead) return HttpParse::kTooLarge;
  std::string_view head = bytes.substr(0, end);
  request = {};
  bool is_first = true;
  while (!head.empty() || is_first) {
    const std::size_t line_end = head.find("\r\n");
    const std::string_view line = head.substr(0, line_end);
    head.remove_prefix(line_end == std::string_view::npos ? head.size() : line_end + 2);
    if (is_first) {
      if (!parse_first_line(line, request)) return HttpParse::kBad;
      is_first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return HttpParse::kBad;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (std::any_of(value.begin(), value.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; })) {
      return HttpParse::kBad;
    }
    // Twice the same: nobody can say which one is meant.
    const bool is_new = request.headers.emplace(name, value).second;
    if (!is_new && (name == "host" || name == "content-length" || name == "origin")) {
      return HttpParse::kBad;
    }
  }
  if (request.headers.contains("transfer-encoding")) return HttpParse::kUnknown;
  std::size_t length = 0;
  if (const auto stated = request.headers.find("content-length"); stated != request.headers.end()) {
    const std::string& text = stated->second;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
    if (text.empty() || read.ptr != text.data() + text.size()) return HttpParse::kBad;
    if (read.ec != std::errc() || length > kMaxHttpBody) return HttpParse::kTooLarge;
  }
  const std::string_view rest = bytes.substr(end + 4);
  if (rest.size() < length) return HttpParse::kMore;
  request.body = rest.substr(0, length);
  return HttpParse::kDone;
}

}  // namespace wattree
