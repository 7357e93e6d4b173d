// A request and its answer, without a socket: what the transport hands in and gets back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/work_budget.h"
#include "src/server/http/event_stream.h"

namespace wattree {

// Names in small letters; a repeated one stands there twice.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpCall {
  std::string method;  // "GET"
  std::string path;    // Decoded, and without "." and "..": "/api/v1/runs/bert-3".
  HttpFields query;    // Decoded.
  HttpFields headers;
  std::string body;
  std::string peer;           // The client's address, without its port.
  bool is_from_here = true;   // By loopback.
  bool is_own_user = false;   // And by a program of the server's own user.
  bool is_encrypted = false;  // By TLS.
  std::string listener = {};  // Of several listeners, the one it came in by; empty: the usual one.
  // Set once nobody waits for the answer any more; null: somebody always does.
  std::shared_ptr<const Cancellation> cancellation = {};

  // The first of that name; empty where there is none.
  std::string_view header(std::string_view name) const;
  // All of that name as one list, as if they stood in one line: "a, b".
  std::string all_headers(std::string_view name) const;
  // Someone stands between and says so, be it with an empty line: then the address is not the
  // caller's.
  bool came_through_proxy() const;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  // Shared, so that an answer out of the cache is sent without a copy. Null: no body.
  std::shared_ptr<const std::string> body;
  HttpFields headers;  // Beside Content-Type, Content-Length and what every answer has.
  // Server-sent events, which go on after this answer's headers; there is no body then.
  std::shared_ptr<EventStream> events;
  // Set where a request of the same bytes over a connection of the same origin gets this answer
  // again: whoever sends it again asks before each time, which counts the call. False: the
  // application must be asked. Of use for as long as the application lives; from any thread.
  std::function<bool()> holds = {};
  // Of events: asked every few seconds; once it says no, no more are sent. Absent: they may go on.
  std::function<bool()> may_go_on = {};
};

}  // namespace wattree
