// An HTTP/1.1 request as it comes in, piece by piece.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace wattree {

struct HttpRequest {
  std::string method;
  std::string path;                            // Without the query.
  std::string query;                           // After '?'.
  std::map<std::string, std::string> headers;  // Names in small letters.
  std::string body;
  int address = 0;  // Position of the address it came to in the server's list.

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

inline constexpr std::size_t kMaxHttpHead = 16 * 1024;
inline constexpr std::size_t kMaxHttpBody = 64 * 1024;

// What the bytes so far are.
enum class HttpParse {
  kMore,      // Not all of it yet.
  kDone,      // `request` is filled.
  kBad,       // 400
  kTooLarge,  // 413, or 431 where it is the head
  kUnknown    // 501: a way of sending that we do not take.
};
// Never keeps anything: call it again with more bytes.
HttpParse parse_request(std::string_view bytes, HttpRequest& request);

}  // namespace wattree
