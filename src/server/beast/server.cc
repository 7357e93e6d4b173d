#include "src/server/beast/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <thread>

#include "src/server/beast/answer_head.h"
#include "src/server/beast/peer_user.h"
#include "src/server/beast/socket_loop.h"

namespace wattree {
namespace {

namespace asio = boost::asio;

// Connections at a time, before others get their turn.
constexpr int kAcceptedAtOnce = 64;
// Until a descriptor may be free again.
constexpr std::chrono::milliseconds kOutOfDescriptors{50};

unsigned threads_for(unsigned wanted) {
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
}

// As well as it goes without waiting, and in the clear: who speaks TLS just sees an end.
void refuse(int descriptor) {
  HttpAnswer answer = problem_answer(
      {ErrorCode::kUnavailable, "the server has too many connections", "try again in a while"});
  std::string text;
  append_head(text, answer, {11, false, {}});
  text += *answer.body;
  ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(descriptor, SHUT_WR);
  // What is left unread makes the kernel take the answer back.
  std::array<char, 4096> unread{};
  ::recv(descriptor, unread.data(), unread.size(), MSG_DONTWAIT);
  ::close(descriptor);
}

}  // namespace

class WebServer::Body {
 public:
  Body(Application application, const WebLimits& limits)
      : shared_(std::move(application), limits) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  // Without memory to stop by, the program's end is right.
  // NOLINTNEXTLINE(bugprone-exception-escape)
  ~Body() { stop(); }

  Status start(std::vector<ListeningSocket> sockets,
               const std::vector<std::shared_ptr<const TlsIdentity>>& identities);
  void stop();
  const WebCounters& counts() const { return shared_.counters; }

 private:
  struct Door {
    Door(ListeningSocket opened, std::shared_ptr<const TlsIdentity> shown,
         asio::io_context& context)
        : socket(std::move(opened)),
          identity(std::move(shown)),
          ready(context, socket.descriptor()) {}
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door() { close(); }
    void close() {
      if (ready.is_open()) ready.release();  // The descriptor is the socket's.
      socket.close();
    }
    ListeningSocket socket;
    std::shared_ptr<const TlsIdentity> identity;
    asio::posix::stream_descriptor ready;
  };

  void begin_to_accept(Door& door);
  asio::awaitable<void> accept_from(Door& door);
  void take(const Door& door, AcceptedSocket accepted);

  WebShared shared_;
  std::vector<std::unique_ptr<SocketLoop>> loops_;
  std::vector<std::unique_ptr<Door>> doors_;  // On the first loop.
  std::size_t next_loop_ = 0;
  bool is_started_ = false;
  std::once_flag is_stopped_;
};

Status WebServer::Body::start(std::vector<ListeningSocket> sockets,
                              const std::vector<std::shared_ptr<const TlsIdentity>>& identities) {
  const unsigned loops = threads_for(shared_.limits.socket_threads);
  const unsigned threads = threads_for(shared_.limits.answer_threads);
  for (unsigned i = 0; i < loops; ++i) loops_.push_back(std::make_unique<SocketLoop>(shared_));
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    doors_.push_back(
        std::make_unique<Door>(std::move(sockets[i]), identities[i], loops_[0]->context()));
    begin_to_accept(*doors_.back());
  }
  Status failure = shared_.pool.start(threads);
  for (const auto& loop : loops_) {
    if (failure.ok()) failure = loop->start();
  }
  is_started_ = failure.ok();
  return failure;
}

void WebServer::Body::begin_to_accept(Door& door) {
  // A server that accepts nobody is worse than none: it accepts again, or the program ends.
  asio::co_spawn(loops_[0]->context(), accept_from(door),
                 [this, &door](const std::exception_ptr& error) noexcept {
                   if (error) begin_to_accept(door);
                 });
}

asio::awaitable<void> WebServer::Body::accept_from(Door& door) {
  asio::steady_timer pause(loops_[0]->context());
  while (door.ready.is_open()) {
    co_await door.ready.async_wait(asio::posix::descriptor_base::wait_read,
                                   asio::as_tuple(asio::use_awaitable));
    for (int i = 0; i < kAcceptedAtOnce && door.ready.is_open(); ++i) {
      AcceptedSocket accepted = door.socket.accept();
      if (accepted.descriptor >= 0) {
        try {
          take(door, std::move(accepted));
        } catch (const std::bad_alloc&) {
          // This one is lost; there may be memory for the next.
        }
      } else if (accepted.error == EMFILE || accepted.error == ENFILE ||
                 accepted.error == ENOBUFS || accepted.error == ENOMEM) {
        pause.expires_after(kOutOfDescriptors);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
      } else if (accepted.error == EAGAIN || accepted.error == EWOULDBLOCK) {
        break;
      }
    }
  }
}

void WebServer::Body::take(const Door& door, AcceptedSocket accepted) {
  const Admission admission = shared_.peers.add(accepted.peer_key);
  if (admission != Admission::kAdmitted) {
    ++(admission == Admission::kTooMany ? shared_.counters.refused_all
                                        : shared_.counters.refused_peer);
    refuse(accepted.descriptor);
    return;
  }
  ++shared_.counters.accepted;
  ++shared_.counters.connections;
  next_loop_ = (next_loop_ + 1) % loops_.size();
  const auto& asked = shared_.application.is_own_user;
  const bool is_own = accepted.peer_key.empty() &&
                      (asked ? asked(accepted.descriptor) : is_own_user(accepted.descriptor));
  loops_[next_loop_]->adopt(accepted.descriptor,
                            {std::move(accepted.peer), std::move(accepted.peer_key),
                             door.socket.listener().name, door.identity, is_own});
}

void WebServer::Body::stop() {
  std::call_once(is_stopped_, [this] {
    shared_.is_stopping = true;
    if (is_started_) {
      std::promise<void> closed;
      asio::post(loops_[0]->context(), [this, &closed] {
        for (const auto& door : doors_) door->close();
        closed.set_value();
      });
      closed.get_future().wait();
    }
    for (const auto& loop : loops_) loop->begin_stop();
    shared_.peers.wait_for_none(shared_.limits.stop_time);
    shared_.cancellation->cancel();
    for (const auto& loop : loops_) loop->end();
    shared_.pool.stop();
  });
}

WebServer::WebServer(std::unique_ptr<Body> body, std::vector<std::string> urls)
    : body_(std::move(body)), urls_(std::move(urls)) {}

WebServer::~WebServer() = default;

Result<std::unique_ptr<WebServer>> WebServer::start(const std::vector<WebListener>& listeners,
                                                    Application application,
                                                    const WebLimits& limits) {
  std::vector<ListeningSocket> sockets;
  std::vector<std::shared_ptr<const TlsIdentity>> identities;
  std::vector<std::string> urls;
  for (const WebListener& listener : listeners) {
    identities.emplace_back();
    if (listener.tls) {
      Result<std::shared_ptr<const TlsIdentity>> identity = TlsIdentity::load(*listener.tls);
      if (!identity.ok()) return identity.error();
      identities.back() = std::move(identity).value();
    }
    Result<ListeningSocket> socket = ListeningSocket::open(listener);
    if (!socket.ok()) {
      Error error = socket.error();
      if (!listener.name.empty()) error.field = listener.name;
      return error;
    }
    urls.push_back(socket.value().url());
    sockets.push_back(std::move(socket).value());
  }
  auto body = std::make_unique<Body>(std::move(application), limits);
  if (const Status failure = body->start(std::move(sockets), identities); !failure.ok()) {
    return failure.error();
  }
  return std::unique_ptr<WebServer>(new WebServer(std::move(body), std::move(urls)));
}

void WebServer::stop() { body_->stop(); }

const WebCounters& WebServer::counts() const { return body_->counts(); }

}  // namespace wattree
