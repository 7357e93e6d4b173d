// The smallest HTTP server that follows a run: one thread, requests answered at once, and streams
// of events. Whoever reads slowly, sends garbage or goes away is his own problem: publish() never
// waits, and a stream that is too far behind is closed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/httpd/listener.h"
#include "src/httpd/request.h"

namespace wattree {

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // Server-sent events: `body` is sent first, then everything that is published, until the reader
  // goes or the server ends.
  bool is_stream = false;
};

struct HttpLimits {
  std::size_t connections = 64;
  std::size_t stream_backlog = 256 * 1024;  // Bytes that a stream may be behind.
  int request_ms = 10'000;  // From the first byte's wait to the request's last byte,
                            // and the same for the answer.
};

class HttpServer {
 public:
  // Called on the server's thread for every whole request; must not wait.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  static Result<std::unique_ptr<HttpServer>> start(std::vector<HttpListener> listeners,
                                                   Handler handler, const HttpLimits& limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Lets streams have what was published, for a moment, and ends.
  ~HttpServer();

  // To every stream: an event of server-sent events. From any thread; never waits.
  void publish(std::string_view event, std::string_view data);

  // Where it listens, in the order of the listeners.
  const std::vector<HttpAddress>& addresses() const { return addresses_; }

 private:
  class Loop;
  HttpServer(std::unique_ptr<Loop> loop, std::vector<HttpAddress> addresses);
  std::unique_ptr<Loop> loop_;
  std::vector<HttpAddress> addresses_;
};

// "event: NAME\ndata: TEXT\n\n", with a "data:" for every line of the text.
std::string event_text(std::string_view event, std::string_view data);

}  // namespace wattree
