// For tests only: a small HTTP server on 127.0.0.1 that does whatever the test tells it to, also
// what no server should.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace wattree {

struct TestRequest {
  std::string target;
  std::map<std::string, std::string> headers;  // Names in small letters.

  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};

// One accepted connection. Everything on it ends when the peer goes or the server stops.
class TestConnection {
 public:
  TestConnection(int socket, int stop, SSL* tls) : socket_(socket), stop_(stop), tls_(tls) {}

  bool send(std::string_view text) {
    while (!text.empty()) {
      if (!wait(POLLOUT, -1)) return false;
      const ssize_t sent = tls_ != nullptr
                               ? SSL_write(tls_, text.data(), static_cast<int>(text.size()))
                               : ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // A whole, well-behaved answer.
  void reply(int status, std::string_view body, std::string_view headers = "") {
    send("HTTP/1.1 " + std::to_string(status) + " Said\r\nConnection: close\r\n" +
         std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body));
  }

  std::string receive() {
    if (tls_ == nullptr && !wait(POLLIN, -1)) return "";
    char buffer[4096];
    const ssize_t got = tls_ != nullptr ? SSL_read(tls_, buffer, sizeof buffer)
                                        : ::recv(socket_, buffer, sizeof buffer, 0);
    return got <= 0 ? "" : std::string(buffer, static_cast<std::size_t>(got));
  }

  // False where the peer went meanwhile.
  bool pause(int milliseconds) { return !wait(POLLRDHUP, milliseconds); }
  void wait_until_peer_goes() { wait(POLLRDHUP, -1); }

 private:
  bool wait(short event, int milliseconds) {
    pollfd both[] = {{socket_, event, 0}, {stop_, POLLIN, 0}};
    return ::poll(both, 2, milliseconds) > 0 && both[1].revents == 0;
  }
  int socket_;
  int stop_;
  SSL* tls_;
};

class TestServer {
 public:
  using Handler = std::function<void(TestConnection&, const TestRequest&)>;

  // With `tls` (owned by the test) it speaks HTTPS.
  explicit TestServer(Handler handler, SSL_CTX* tls = nullptr)
      : handler_(std::move(handler)), tls_(tls) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      std::abort();  // A machine without a loopback network has no use for these tests.
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    stop();
    ::close(stop_);
  }

  // From now on nobody listens on the port.
  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    if (::write(stop_, &one, sizeof one) != sizeof one) std::abort();
    thread_.join();
    ::close(listener_);
  }

  std::string url() const {
    return (tls_ != nullptr ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }

  std::vector<TestRequest> requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }

 private:
  void run() {
    // OpenSSL writes to peers that went without MSG_NOSIGNAL.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (true) {
      pollfd both[] = {{listener_, POLLIN, 0}, {stop_, POLLIN, 0}};
      if (::poll(both, 2, -1) < 0 || both[1].revents != 0) return;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      serve(socket);
      ::close(socket);
    }
  }

  void serve(int socket) {
    SSL* tls = nullptr;
    if (tls_ != nullptr) {
      tls = SSL_new(tls_);
      SSL_set_fd(tls, socket);
      if (SSL_accept(tls) != 1) {
        SSL_free(tls);
        return;
      }
    }
    TestConnection connection(socket, stop_, tls);
    std::string text;
    while (text.find("\r\n\r\n") == std::string::npos) {
      const std::string more = connection.receive();
      if (more.empty()) break;
      text += more;
      if (text.front() == '\x16') {  // Somebody speaks TLS to a server that does not.
        connection.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        return;
      }
    }
    if (text.find("\r\n\r\n") != std::string::npos) {
      const TestRequest request = parse(text);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        requests_.push_back(request);
      }
      handler_(connection, request);
    }
    if (tls != nullptr) {
      SSL_shutdown(tls);
      SSL_free(tls);
    }
  }

  static TestRequest parse(const std::string& text) {
    TestRequest request;
    const auto first = text.find(' ');
    request.target = text.substr(first + 1, text.find(' ', first + 1) - first - 1);
    for (auto at = text.find("\r\n") + 2; text.compare(at, 2, "\r\n") != 0;) {
      const auto end = text.find("\r\n", at);
      const auto colon = text.find(": ", at);
      std::string name = text.substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
      request.headers[name] = text.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return request;
  }

  Handler handler_;
  SSL_CTX* tls_;
  int listener_ = -1;
  int stop_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::vector<TestRequest> requests_;
  std::thread thread_;
};

}  // namespace wattree
