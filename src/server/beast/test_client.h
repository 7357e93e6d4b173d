// A client of raw sockets for tests: it sends what it is told to, right or wrong.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace wattree {

struct TestAnswer {
  int status = 0;
  std::string head;
  std::string body;

  // Of the first header of that name; empty where there is none.
  std::string header(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class TestClient {
 public:
  // "http://127.0.0.1:1234", "http://[::1]:1234" or "unix:/path".
  explicit TestClient(const std::string& url) {
    if (url.starts_with("unix:")) {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      url.substr(5).copy(address.sun_path, sizeof address.sun_path - 1);
      connect_to(address);
    } else if (url.find('[') != std::string::npos) {
      sockaddr_in6 address{};
      address.sin6_family = AF_INET6;
      address.sin6_port = htons(port_of(url));
      address.sin6_addr = in6addr_loopback;
      connect_to(address);
    } else {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port_of(url));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      connect_to(address);
    }
  }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  TestClient(TestClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), in_(std::move(other.in_)) {}
  ~TestClient() { close(); }

  bool is_connected() const { return socket_ >= 0; }
  int descriptor() const { return socket_; }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  // Ends with RST instead of FIN.
  void break_off() {
    const linger now{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }

  // False where the server takes no more.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }

  // Waits for more, and keeps it; false where the server has ended, or nothing came in time.
  bool receive(int within_ms = 10'000) {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, within_ms) <= 0) return false;
    char piece[65536];
    const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
    if (got > 0) in_.append(piece, static_cast<std::size_t>(got));
    has_ended_ = got <= 0;
    return got > 0;
  }

  // One answer, by its Content-Length; status 0 where none came.
  TestAnswer answer(bool is_to_head = false, int within_ms = 10'000) {
    TestAnswer out;
    while (in_.find("\r\n\r\n") == std::string::npos) {
      if (!receive(within_ms)) return out;
    }
    const std::size_t end = in_.find("\r\n\r\n") + 4;
    out.head = in_.substr(0, end);
    out.status = std::atoi(out.head.c_str() + 9);
    in_.erase(0, end);
    const std::size_t length =
        is_to_head ? 0 : std::strtoull(out.header("Content-Length").c_str(), nullptr, 10);
    while (in_.size() < length && receive(within_ms)) {
    }
    out.body = in_.substr(0, length);
    in_.erase(0, std::min(length, in_.size()));
    return out;
  }
  TestAnswer ask(std::string_view request, bool is_to_head = false) {
    send(request);
    return answer(is_to_head);
  }
  TestAnswer get(const std::string& target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: here\r\n\r\n");
  }

  // Until `text` is there; what came before it, with it, is taken.
  bool wait_for(std::string_view text, int within_ms = 10'000) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(within_ms);
    while (in_.find(text) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !receive(static_cast<int>(left.count()))) return false;
    }
    in_.erase(0, in_.find(text) + text.size());
    return true;
  }
  // Whether the server ends the connection in that time.
  bool is_ended(int within_ms = 10'000) {
    while (receive(within_ms)) {
    }
    return has_ended_;
  }
  const std::string& unread() const { return in_; }

 private:
  static std::uint16_t port_of(const std::string& url) {
    return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  }
  template <class Address>
  void connect_to(const Address& address) {
    const auto* any = reinterpret_cast<const sockaddr*>(&address);
    socket_ = ::socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket_, any, sizeof address) != 0) close();
  }

  int socket_ = -1;
  std::string in_;
  bool has_ended_ = false;
};

}  // namespace wattree
