#include "src/server/http/target.h"

#include <algorithm>
#include <optional>

#include "src/base/in_quotes.h"
#include "src/base/utf8.h"

namespace wattree {
namespace {

Error bad_target(std::string message, std::string hint, std::string field = {}) {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint), std::move(field)};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

enum class Plus { kStays, kIsSpace };

// None where an escape is not one.
std::optional<std::string> decoded(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::kIsSpace) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

// A segment of the path: never "..", and nothing in it that another reader would split it by.
Result<std::string> decoded_segment(std::string_view text) {
  std::optional<std::string> out = decoded(text, Plus::kStays);
  if (!out) {
    return bad_target("the path has a '%' that is no escape", "write '%' itself as %25");
  }
  if (out->find_first_of("/\\") != std::string::npos) {
    return bad_target("the path has an escaped slash or a backslash",
                      "a name with a slash goes into the query: model=org%2Fname");
  }
  if (std::any_of(out->begin(), out->end(), is_control)) {
    return bad_target("the path has a control character", "");
  }
  if (!is_utf8(*out)) return bad_target("the path is not UTF-8", "escape the bytes of UTF-8");
  if (*out == "..") return bad_target("the path has \"..\"", "write where it leads to");
  return *std::move(out);
}

Result<std::string> decoded_path(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    text.remove_prefix(1);  // The slash.
    const std::string_view segment = text.substr(0, text.find('/'));
    text.remove_prefix(segment.size());
    const Result<std::string> part = decoded_segment(segment);
    if (!part.ok()) return part.error();
    const bool is_last = text.empty();
    const bool is_nothing = part.value().empty() || part.value() == ".";
    if (!is_nothing) {
      out += '/' + part.value();
    } else if (is_last) {
      out += '/';
    }
  }
  return out;
}

Result<HttpFields> decoded_query(std::string_view text, std::size_t most_parameters) {
  HttpFields out;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) continue;
    if (out.size() == most_parameters) {
      return bad_target(
          "the query has more than " + std::to_string(most_parameters) + " parameters",
          "send them as the JSON of a POST");
    }
    const std::string_view raw_name = part.substr(0, part.find('='));
    const std::optional<std::string> name = decoded(raw_name, Plus::kIsSpace);
    if (!name || !is_utf8(*name) || std::any_of(name->begin(), name->end(), is_control)) {
      return bad_target("the query has a name that cannot be read: " + in_quotes(raw_name),
                        "write '%' itself as %25, and escape the bytes of UTF-8");
    }
    const std::string_view raw = part.substr(std::min(raw_name.size() + 1, part.size()));
    std::optional<std::string> value = decoded(raw, Plus::kIsSpace);
    if (!value) {
      return bad_target("the query's " + in_quotes(*name) + " has a '%' that is no escape",
                        "write '%' itself as %25", *name);
    }
    if (!is_utf8(*value)) {
      return bad_target("the query's " + in_quotes(*name) + " is not UTF-8",
                        "escape the bytes of UTF-8", *name);
    }
    if (value->find('\0') != std::string::npos) {
      return bad_target("the query's " + in_quotes(*name) + " has a zero byte", "", *name);
    }
    out.emplace_back(*name, *std::move(value));
  }
  return out;
}

}  // namespace

Result<HttpTarget> parse_http_target(std::string_view target, std::size_t most_parameters) {
  HttpTarget out;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    out.authority = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(out.authority.size());
    if (out.authority.empty()) return bad_target("the address names no host", "");
    if (!target.starts_with('/')) return bad_target("the address has no path", "end it with a '/'");
    break;
  }
  if (!target.starts_with('/')) {
    return bad_target("a request is for a path, such as /healthz", "begin it with a '/'");
  }
  if (target.find('#') != std::string_view::npos) {
    return bad_target("the target has a '#'", "write '#' itself as %23");
  }
  if (std::any_of(target.begin(), target.end(), [](char c) { return is_control(c) || c == ' '; })) {
    return bad_target("the target has a space or a control character", "escape it");
  }
  const std::size_t mark = target.find('?');
  Result<std::string> path = decoded_path(target.substr(0, mark));
  if (!path.ok()) return path.error();
  out.path = std::move(path).value();
  if (mark == std::string_view::npos) return out;
  Result<HttpFields> query = decoded_query(target.substr(mark + 1), most_parameters);
  if (!query.ok()) return query.error();
  out.query = std::move(query).value();
  return out;
}

std::optional<std::string> host_name(std::string_view host) {
  const bool is_v6 = host.starts_with('[');
  const std::size_t end = is_v6 ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view port = host.substr(is_v6 ? end + 1 : end);
  if (!port.empty()) {
    if (port.front() != ':') return std::nullopt;
    port.remove_prefix(1);
    const bool is_number = std::all_of(
        port.begin(), port.end(), [](char c) { return hex_digit(c) >= 0 && hex_digit(c) < 10; });
    if (!is_number || port.size() > 5) return std::nullopt;
  }
  std::string out(host.substr(is_v6 ? 1 : 0, is_v6 ? end - 1 : end));
  if (is_v6 && out.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) {
    return std::nullopt;
  }
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace wattree
