// A socket that waits for connections.
#pragma once

#include <cstdint>
#include <string>

#include "src/base/result.h"

namespace wattree {

struct HttpAddress {
  std::string host = "127.0.0.1";  // A numeric address.
  std::uint16_t port = 0;          // 0: any that is free.
};

// "http://127.0.0.1:8080"
std::string url_of(const HttpAddress& address);

// One address each, so that whoever listens on several knows which of them failed.
class HttpListener {
 public:
  static Result<HttpListener> open(const HttpAddress& address);
  HttpListener(HttpListener&& other) noexcept;
  HttpListener& operator=(HttpListener&&) = delete;
  ~HttpListener();

  const HttpAddress& address() const { return address_; }  // With the port that it got.
  int socket() const { return socket_; }

 private:
  HttpListener(HttpAddress address, int socket) : address_(std::move(address)), socket_(socket) {}
  HttpAddress address_;
  int socket_;
};

}  // namespace wattree
