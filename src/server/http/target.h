// The target of a request, "/api/v1/predict?model=gpt2", taken apart and decoded.
#pragma once

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

}  // namespace wattree
