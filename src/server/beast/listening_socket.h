// A socket that waits for connections, and who came through it.
#pragma once

#include <string>

#include "src/base/result.h"
#include "src/server/beast/server.h"

namespace wattree {

struct AcceptedSocket {
  int descriptor = -1;   // Non-blocking; -1: none is waiting.
  int error = 0;         // Where there is none: the number of the error.
  std::string peer;      // "127.0.0.1"; empty by a Unix socket.
  std::string peer_key;  // What limits count by; empty: it is from here.
};

class ListeningSocket {
 public:
  static Result<ListeningSocket> open(const WebListener& listener);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  AcceptedSocket accept() const;
  void close();
  const WebListener& listener() const { return listener_; }  // With the port that it got.
  std::string url() const;
  int descriptor() const { return descriptor_; }

 private:
  ListeningSocket(WebListener listener, int descriptor)
      : listener_(std::move(listener)), descriptor_(descriptor) {}
  WebListener listener_;
  int descriptor_;
};

}  // namespace wattree
