// Any bytes as an HTTP request: what is whole stays whole with more bytes behind it, and what is
// refused stays refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/httpd/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  HttpRequest request, again;
  const HttpParse parsed = parse_request(bytes, request);
  if (parsed == HttpParse::kMore) return 0;
  if (parse_request(bytes + "GET / HTTP/1.1\r\n\r\n", again) != parsed) __builtin_trap();
  if (parsed != HttpParse::kDone) return 0;
  if (request.method != again.method || request.path != again.path || request.body != again.body ||
      request.headers != again.headers || !request.path.starts_with('/')) {
    __builtin_trap();
  }
  return 0;
}
