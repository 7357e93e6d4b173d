// The transport: HTTP/1.1 (and 1.0) over TCP, TLS and Unix sockets, for an Application that never
// sees a socket. No header of Boost is needed to use it.
//
//   Result<std::unique_ptr<WebServer>> server = WebServer::start({{"127.0.0.1", 8080}},
//   application); … server.value()->urls().front() …       "http://127.0.0.1:8080"
//   server.value()->stop();                  or its destructor
//
// What the application may rely on: HEAD comes as GET, and the body is left out here; paths are
// decoded and safe to compare; a call comes whole, within the limits. What it must not do: answer
// with Content-Length, Transfer-Encoding, Connection or Date, or with line ends in a header. Such
// an answer is replaced by 500.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/server/beast/limits.h"
#include "src/server/http/application.h"

namespace wattree {

// PEM files; the certificate's file has the chain, too.
struct TlsFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct WebListener {
  // A numeric address, such as 127.0.0.1, ::1 or 0.0.0.0; or "unix:/run/wattree.sock", a socket of
  // its own in the file system, which only this user may open.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free.
  // Becomes HttpCall::listener, and the field of an error about this listener.
  std::string name = {};
  std::optional<TlsFiles> tls = {};  // Absent: in the clear.
};

class WebServer {
 public:
  // Listens on all of them, or on none. The application lives until the server has ended.
  static Result<std::unique_ptr<WebServer>> start(const std::vector<WebListener>& listeners,
                                                  Application application,
                                                  const WebLimits& limits = {});
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;
  ~WebServer();

  // Takes no more connections, lets answers in flight be sent, sends streams what is pending, and
  // ends; after WebLimits::stop_time at the latest, or when the application has then seen that its
  // calls are cancelled. From any thread but the server's own; a second call does nothing.
  void stop();

  // Where it listens, in the order of the listeners, with the ports that they got.
  const std::vector<std::string>& urls() const { return urls_; }
  const WebCounters& counts() const;

 private:
  class Body;
  WebServer(std::unique_ptr<Body> body, std::vector<std::string> urls);
  std::unique_ptr<Body> body_;
  std::vector<std::string> urls_;
};

}  // namespace wattree
