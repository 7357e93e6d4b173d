#include "src/httpd/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "src/base/error_text.h"
#include "src/base/signals_blocked.h"

namespace wattree {
namespace {

using Time = std::chrono::steady_clock::time_point;
Time now() { return std::chrono::steady_clock::now(); }

constexpr std::size_t kMostPublished = 1024;  // Events that wait for the server's thread.
constexpr auto kLastWords = std::chrono::milliseconds(300);

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

std::string head_of(const HttpResponse& response) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " " +
                    std::string(reason(response.status)) + "\r\n";
  if (!response.type.empty()) out += "Content-Type: " + response.type + "\r\n";
  if (!response.is_stream) {
    out += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  out += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers) out += name + ": " + value + "\r\n";
  return out + "\r\n";
}

HttpResponse problem(int status, ErrorCode code, std::string message) {
  HttpResponse out;
  out.status = status;
  out.body = to_json(Error{code, std::move(message), ""});
  return out;
}

struct Connection {
  int socket = -1;
  int address = 0;
  std::string in;
  std::string out;
  bool is_answered = false;  // What is in `out` is all there will be, unless it is a stream.
  bool is_stream = false;
  bool has_ended = false;    // The peer sends no more; it may still read.
  bool is_draining = false;  // Answered; what the peer still sends is thrown away until it closes.
  Time deadline;
};

}  // namespace

std::string event_text(std::string_view event, std::string_view data) {
  std::string out = "event: " + std::string(event) + "\n";
  while (true) {
    const std::string_view line = data.substr(0, data.find('\n'));
    out += "data: " + std::string(line) + "\n";
    if (line.size() == data.size()) break;
    data.remove_prefix(line.size() + 1);
    if (data.empty()) break;
  }
  return out + "\n";
}

class HttpServer::Loop {
 public:
  Loop(std::vector<HttpListener> listeners, Handler handler, const HttpLimits& limits)
      : listeners_(std::move(listeners)),
        handler_(std::move(handler)),
        limits_(limits),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ring();
    if (thread_.joinable()) thread_.join();
    for (const Connection& connection : connections_) ::close(connection.socket);
    if (wake_ >= 0) ::close(wake_);
  }

  Status start() {
    const SignalsBlocked blocked;
    Status failure;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      failure = Error{ErrorCode::kUnavailable,
                      std::string("the server's thread cannot start: ") + error.what(), ""};
    }
    return failure;
  }

  void publish(std::string text) {
    {
      const std::lock_guard lock(mutex_);
      if (published_.size() >= kMostPublished) published_.pop_front();
      published_.push_back(std::move(text));
    }
    ring();
  }

 private:
  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(wake_, &one, sizeof one);
  }

  void run();
  void accept_from(std::size_t listener);
  void take_published();
  void receive(Connection& connection);
  void answer(Connection& connection, const HttpResponse& response, bool is_head);
  void send_out(Connection& connection);
  void close(Connection& connection) {
    if (connection.socket >= 0) ::close(connection.socket);
    connection.socket = -1;
  }
  Time deadline() const { return now() + std::chrono::milliseconds(limits_.request_ms); }

  std::vector<HttpListener> listeners_;
  Handler handler_;
  HttpLimits limits_;
  int wake_;
  std::vector<Connection> connections_;
  std::mutex mutex_;
  std::deque<std::string> published_;
  bool is_ending_ = false;
  std::thread thread_;
};

void HttpServer::Loop::run() {
  std::vector<pollfd> ready;
  Time end = Time::max();
  while (true) {
    ready.assign(1, {wake_, POLLIN, 0});
    for (const HttpListener& listener : listeners_) {
      // Beyond the limit new ones wait in the kernel's queue.
      const bool has_room = connections_.size() < limits_.connections && end == Time::max();
      ready.push_back({has_room ? listener.socket() : -1, POLLIN, 0});
    }
    Time next = end;
    for (const Connection& connection : connections_) {
      const short wanted = static_cast<short>((connection.has_ended ? 0 : POLLIN) |
                                              (connection.out.empty() ? 0 : POLLOUT));
      ready.push_back({connection.socket, wanted, 0});
      if (!connection.is_stream) next = std::min(next, connection.deadline);
    }
    int wait_ms = -1;
    if (next != Time::max()) {
      wait_ms = static_cast<int>(std::max<std::int64_t>(
          0, std::chrono::ceil<std::chrono::milliseconds>(next - now()).count()));
    }
    ::poll(ready.data(), ready.size(), wait_ms);
    const std::size_t first = 1 + listeners_.size();
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      Connection& connection = connections_[i];
      const short events = ready[first + i].revents;
      if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) receive(connection);
      if ((events & POLLOUT) != 0 && connection.socket >= 0) send_out(connection);
      if (!connection.is_stream && connection.socket >= 0 && now() >= connection.deadline) {
        if (!connection.is_answered && !connection.in.empty()) {
          answer(connection,
                 problem(408, ErrorCode::kUnavailable, "the request did not come in time"), false);
        }
        close(connection);
      }
    }
    if ((ready[0].revents & POLLIN) != 0) {
      std::uint64_t rings = 0;
      [[maybe_unused]] const ssize_t got = ::read(wake_, &rings, sizeof rings);
      take_published();
      const std::lock_guard lock(mutex_);
      if (is_ending_ && end == Time::max()) end = now() + kLastWords;
    }
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if ((ready[1 + i].revents & POLLIN) != 0) accept_from(i);
    }
    std::erase_if(connections_, [](const Connection& c) { return c.socket < 0; });
    if (end == Time::max()) continue;
    const bool is_idle = std::all_of(connections_.begin(), connections_.end(),
                                     [](const Connection& c) { return c.out.empty(); });
    if (is_idle || now() >= end) return;
  }
}

void HttpServer::Loop::accept_from(std::size_t listener) {
  while (connections_.size() < limits_.connections) {
    const int socket =
        ::accept4(listeners_[listener].socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      // Out of descriptors: not in a circle, but with the next event or deadline.
      if (errno == EMFILE || errno == ENFILE) ::poll(nullptr, 0, 10);
      return;
    }
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection connection;
    connection.socket = socket;
    connection.address = static_cast<int>(listener);
    connection.deadline = deadline();
    connections_.push_back(std::move(connection));
  }
}

void HttpServer::Loop::take_published() {
  std::deque<std::string> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(published_);
  }
  if (events.empty()) return;
  for (Connection& connection : connections_) {
    if (!connection.is_stream || connection.socket < 0) continue;
    for (const std::string& event : events) connection.out += event;
    send_out(connection);
    // Too far behind: it may come again and begin with the state as it is then.
    if (connection.out.size() > limits_.stream_backlog) close(connection);
  }
}

void HttpServer::Loop::receive(Connection& connection) {
  char buffer[8192];
  const ssize_t got = ::recv(connection.socket, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got == 0 && connection.is_answered && !connection.is_stream && !connection.out.empty()) {
    connection.has_ended = true;
    return;
  }
  if (got <= 0) {
    close(connection);
    return;
  }
  if (connection.is_answered) return;  // Nothing more is expected, and nothing is kept.
  connection.in.append(buffer, static_cast<std::size_t>(got));
  HttpRequest request;
  switch (parse_request(connection.in, request)) {
    case HttpParse::kMore: return;
    case HttpParse::kBad:
      answer(connection, problem(400, ErrorCode::kInvalidInput, "this is no HTTP request"), false);
      return;
    case HttpParse::kTooLarge:
      answer(connection, problem(413, ErrorCode::kInvalidInput, "the request is too large"), false);
      return;
    case HttpParse::kUnknown:
      answer(connection, problem(501, ErrorCode::kInvalidInput, "send a Content-Length"), false);
      return;
    case HttpParse::kDone: break;
  }
  request.address = connection.address;
  const bool is_head = request.method == "HEAD";
  if (is_head) request.method = "GET";
  answer(connection, handler_(request), is_head);
}

void HttpServer::Loop::answer(Connection& connection, const HttpResponse& response, bool is_head) {
  connection.is_answered = true;
  connection.is_stream = response.is_stream && !is_head;
  connection.deadline = deadline();
  connection.in.clear();
  connection.out = head_of(response);
  if (!is_head) connection.out += response.body;
  send_out(connection);
}

void HttpServer::Loop::send_out(Connection& connection) {
  while (!connection.out.empty()) {
    const ssize_t put = ::send(connection.socket, connection.out.data(), connection.out.size(),
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) {
      close(connection);
      return;
    }
    connection.out.erase(0, static_cast<std::size_t>(put));
  }
  if (!connection.is_answered || connection.is_stream || connection.is_draining) return;
  if (connection.has_ended) {
    close(connection);
    return;
  }
  // All is sent. The peer closes; closing at once would take the answer away from one that still
  // sends.
  ::shutdown(connection.socket, SHUT_WR);
  connection.is_draining = true;
  connection.deadline = std::min(connection.deadline, now() + std::chrono::seconds(1));
}

HttpServer::HttpServer(std::unique_ptr<Loop> loop, std::vector<HttpAddress> addresses)
    : loop_(std::move(loop)), addresses_(std::move(addresses)) {}

HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(std::vector<HttpListener> listeners,
                                                      Handler handler, const HttpLimits& limits) {
  std::vector<HttpAddress> addresses;
  for (const HttpListener& listener : listeners) addresses.push_back(listener.address());
  auto loop = std::make_unique<Loop>(std::move(listeners), std::move(handler), limits);
  if (const Status failure = loop->start(); !failure.ok()) return failure.error();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(loop), std::move(addresses)));
}

void HttpServer::publish(std::string_view event, std::string_view data) {
  loop_->publish(event_text(event, data));
}

}  // namespace wattree
