// The end of a session's answer: events that follow it, and its goodbye.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "src/server/beast/counted.h"
#include "src/server/beast/session.h"

namespace wattree {
namespace {

namespace asio = boost::asio;

// For a peer that has its answer, but has not closed.
constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::chrono::milliseconds kLingerAtStop{100};

}  // namespace

asio::awaitable<void> Session::stream(const HttpAnswer& answer) {
  const std::shared_ptr<EventStream> events = answer.events;
  const OpenStream open(shared_.counters,
                        std::make_shared<StreamBell>(loop_.context(), weak_from_this()));
  events->on_more([bell = open.bell] { bell->ring(); });
  is_watched_ = true;
  asio::co_spawn(
      loop_.context(), [self = shared_from_this()] { return self->watch_reader(); },
      asio::detached);
  auto spoke = Clock::now();
  while (!is_reader_gone_) {
    if (answer.may_go_on && !answer.may_go_on()) break;
    std::shared_ptr<const std::string> text = events->next();
    const bool is_over = !text && (events->is_over() || shared_.is_stopping);
    if (is_over) break;
    if (!text && Clock::now() - spoke >= limits_.heartbeat) {
      text = std::make_shared<const std::string>(": still here\n\n");
    }
    if (!text) {
      expect(Phase::kStream, std::chrono::hours(24 * 365));
      const Clock::duration silence = limits_.heartbeat - (Clock::now() - spoke);
      co_await wait(answer.may_go_on ? std::min<Clock::duration>(silence, limits_.asked_again)
                                     : silence);
      continue;
    }
    // A reader that takes nothing for so long is gone, too.
    expect(Phase::kStream, {});
    expect_transfer(Phase::kStream, text->size());
    const bool is_written = co_await connection_.write(*text);
    if (!is_written) break;
    shared_.counters.sent_bytes += text->size();
    spoke = Clock::now();
  }
}

// Beside a stream, which only writes: without it, a reader that has gone would be noticed only when
// there is something to tell it.
asio::awaitable<void> Session::watch_reader() {
  co_await connection_.wait_for_end();
  is_reader_gone_ = true;
  wake();
}

asio::awaitable<void> Session::linger() {
  expect(Phase::kLinger, shared_.is_stopping ? kLingerAtStop : kLinger);
  co_await connection_.say_goodbye();
  if (is_watched_) {
    while (!is_reader_gone_ && !is_late_) co_await wait(Clock::duration::max());
  } else {
    co_await connection_.wait_for_end();
  }
}

}  // namespace wattree
