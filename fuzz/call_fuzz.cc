// Any bytes as a request over HTTP: what it means does not depend on the pieces that it comes in,
// and what is accepted is within the limits.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/utf8.h"
#include "src/server/beast/call_parser.h"

namespace {

using wattree::CallParser;
using wattree::HttpCall;

struct Reading {
  HttpCall call;
  int status = 0;  // 0: it is not whole; 200: it is.
};

Reading read(std::string_view bytes, std::size_t piece, const wattree::WebLimits& limits) {
  Reading out;
  CallParser parser(out.call, limits);
  std::string in;
  while (!bytes.empty() && !parser.is_done()) {
    in += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    boost::beast::error_code code;
    const std::size_t used = parser.put(boost::asio::buffer(in), code);
    if (code && code != boost::beast::http::error::need_more) {
      const wattree::CallProblem problem = parser.problem_of(code, in);
      if (problem.status < 400 || problem.error.message.empty()) __builtin_trap();
      out.status = problem.status;
      return out;
    }
    in.erase(0, used);
  }
  if (parser.is_done()) out.status = 200;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wattree::WebLimits limits;
  limits.body = 1000;
  limits.headers = 10;
  const Reading whole = read(bytes, bytes.size() + 1, limits);
  const Reading pieces = read(bytes, 7, limits);
  // An error may be seen before or after the head is whole, but not once in a request that is fine.
  if ((whole.status == 200) != (pieces.status == 200)) __builtin_trap();
  if (whole.status != 200) return 0;
  if (whole.call.method != pieces.call.method || whole.call.path != pieces.call.path ||
      whole.call.query != pieces.call.query || whole.call.headers != pieces.call.headers ||
      whole.call.body != pieces.call.body) {
    __builtin_trap();
  }
  if (whole.call.body.size() > limits.body || whole.call.headers.size() > limits.headers + 1 ||
      !wattree::is_utf8(whole.call.path)) {
    __builtin_trap();
  }
  for (const auto& [name, value] : whole.call.headers) {
    if (value.find_first_of("\r\n") != std::string::npos) __builtin_trap();
  }
  return 0;
}
