#include "src/httpd/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace wattree {
namespace {

Error socket_error(const HttpAddress& address, int number) {
  Error out{ErrorCode::kUnavailable,
            "cannot listen on " + url_of(address) + ": " + ::strerror(number), "", "port"};
  if (number == EADDRINUSE) out.hint = "another program has the port; choose one with <port>";
  if (number == EACCES) out.hint = "ports below 1024 are root's; choose another with <port>";
  return out;
}

// 0, or the number of the error.
int bind_and_listen(const addrinfo& wanted, int listener) {
  const int yes = 1;
  const bool is_bound =
      listener >= 0 && ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      ::bind(listener, wanted.ai_addr, wanted.ai_addrlen) == 0 && ::listen(listener, 64) == 0;
  return is_bound ? 0 : errno;
}

// The port that the socket got; an error number where that is not known.
int find_port(int listener, std::uint16_t& port) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return errno;
  port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return 0;
}

}  // namespace

std::string url_of(const HttpAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + address.host + "]" : address.host) + ":" +
         std::to_string(address.port);
}

Result<HttpListener> HttpListener::open(const HttpAddress& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) !=
      0) {
    return Error{ErrorCode::kInvalidInput, "\"" + address.host + "\" is no address to listen on",
                 "a numeric address, such as 127.0.0.1 or ::1"};
  }
  HttpListener out(address,
                   ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int number = bind_and_listen(*found, out.socket_);
  ::freeaddrinfo(found);
  if (number == 0) number = find_port(out.socket_, out.address_.port);
  if (number != 0) return socket_error(address, number);
  return out;
}

HttpListener::HttpListener(HttpListener&& other) noexcept
    : address_(std::move(other.address_)), socket_(std::exchange(other.socket_, -1)) {}

HttpListener::~HttpListener() {
  if (socket_ >= 0) ::close(socket_);
}

}  // namespace wattree
