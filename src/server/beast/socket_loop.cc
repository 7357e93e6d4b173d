#include "src/server/beast/socket_loop.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ctime>
#include <exception>

#include "src/base/thread.h"
#include "src/server/beast/answer_head.h"
#include "src/server/beast/session.h"

namespace wattree {
namespace {

namespace asio = boost::asio;

// How exact deadlines are. One timer for all sessions: one for each would cost every request.
constexpr std::chrono::milliseconds kSweep{200};

}  // namespace

Status SocketLoop::start() {
  Result<std::jthread> thread = start_thread("the server", [this] {
    const auto work = asio::make_work_guard(context_);
    while (!attempt([this] { context_.run(); })) {
      // What threw, as for want of memory, is over; the other connections are served on.
    }
  });
  if (!thread.ok()) return thread.error();
  thread_ = std::move(thread).value();
  return {};
}

void SocketLoop::adopt(int descriptor, ConnectionOrigin origin) {
  auto session = std::make_shared<Session>(*this, descriptor, std::move(origin));
  asio::post(context_, [session] { session->begin(); });
}

void SocketLoop::begin_stop() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->begin_stop();
  });
}

void SocketLoop::end() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

void SocketLoop::enter(Session& session) {
  sessions_.insert(&session);
  if (!is_sweeping_) begin_sweep();
}

void SocketLoop::begin_sweep() {
  is_sweeping_ = true;
  // A server without deadlines is worse than none: it sweeps again, or the program ends.
  asio::co_spawn(context_, sweep(), [this](const std::exception_ptr& error) noexcept {
    if (error) begin_sweep();
  });
}

// For as long as there are sessions: a server that nobody uses sleeps.
asio::awaitable<void> SocketLoop::sweep() {
  while (!sessions_.empty()) {
    sweep_.expires_after(kSweep);
    co_await sweep_.async_wait(asio::as_tuple(asio::use_awaitable));
    const auto now = Session::Clock::now();
    for (Session* session : sessions_) session->check(now);
  }
  is_sweeping_ = false;
}

const std::string& SocketLoop::date() {
  const std::int64_t now = std::time(nullptr);
  if (now != date_second_) {
    date_ = http_date(now);
    date_second_ = now;
  }
  return date_;
}

}  // namespace wattree
