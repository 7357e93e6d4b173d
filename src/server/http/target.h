// The target of a request, "/api/v1/predict?model=gpt2", taken apart and decoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/server/http/http.h"

namespace wattree {

struct HttpTarget {
  std::string path;  // Begins with '/', has no "//", "." or "..", no control characters; is UTF-8.
  HttpFields query;  // In its order; "a" and "a=" are both the empty text.
  std::string authority;  // Of "http://authority/path", which proxies send; mostly empty.
};

// An error where two readers could take it for two things: bad escapes, "%2F" and "\" in the path,
// "..", control characters, what is no UTF-8, a '#', more than `most_parameters`.
Result<HttpTarget> parse_http_target(std::string_view target, std::size_t most_parameters = 256);

// The name or address in the value of a Host header, in small letters and without its port:
// "[::1]:8080" -> "::1", "Localhost:80" -> "localhost". None where anything else stands in it.
std::optional<std::string> host_name(std::string_view host);

}  // namespace wattree
