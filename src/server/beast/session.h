// One connection, from its first byte to its last, on the thread of its loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "src/server/beast/call_parser.h"
#include "src/server/beast/connection.h"
#include "src/server/beast/socket_loop.h"

namespace wattree {

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Clock = std::chrono::steady_clock;

  Session(SocketLoop& loop, int descriptor, ConnectionOrigin origin);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void begin();
  // Ends what takes too long.
  void check(Clock::time_point now);
  void begin_stop();
  // Whoever waits looks again.
  void wake() { signal_.cancel(); }

 private:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  enum class Phase { kIdle, kHead, kBody, kAnswer, kSend, kStream, kLinger };
  struct Call {
    std::shared_ptr<HttpCall> http;  // Shared with a thread that may outlast our patience.
    int version = 11;
    bool keeps = false;
    bool is_head = false;
    std::optional<CallProblem> problem;  // It could not be read.
    std::optional<BodyTerms> terms;      // Once the application was asked for them.
  };

  Awaitable<void> run();
  // Until there are bytes of a request; false where the connection has ended.
  Awaitable<bool> begin_request();
  // The body of the answer that the same request had before; its head is in head_. Null: it has to
  // be read.
  std::shared_ptr<const std::string> repeated();
  void keep_for_repeats(const HttpAnswer& answer, int version);
  // None where the connection has ended.
  Awaitable<std::optional<Call>> read_call();
  // Whether the parser is content so far.
  bool parse(CallParser& parser, Call& call);
  // Whether the body may come, or go on to.
  bool takes_body(const CallParser& parser, Call& call);
  Awaitable<bool> answer(Call call);
  Awaitable<HttpAnswer> answer_of(std::shared_ptr<HttpCall> http);
  Awaitable<HttpAnswer> ask(std::shared_ptr<HttpCall> http);
  Awaitable<bool> send(std::string_view body);
  Awaitable<void> stream(const HttpAnswer& answer);
  Awaitable<void> watch_reader();
  Awaitable<void> linger();
  // Until wake(), or for so long.
  Awaitable<void> wait(Clock::duration at_most);

  void look_for_peer(Clock::time_point now);
  void expect(Phase phase, std::chrono::milliseconds within);
  void expect_transfer(Phase phase, std::size_t bytes);
  void hold_body(std::size_t bytes);
  std::string_view unread() const;

  SocketLoop& loop_;
  WebShared& shared_;
  const WebLimits& limits_;
  ConnectionOrigin origin_;
  Connection connection_;
  boost::asio::steady_timer signal_;  // Cancelled to wake whoever waits for it.
  boost::beast::flat_buffer in_;
  std::string request_;  // The one that is answered, where it came in one piece and has no body.
  std::string head_;
  Phase phase_ = Phase::kIdle;
  Clock::time_point phase_began_;
  Clock::time_point deadline_;
  bool is_late_ = false;     // The phase has not ended in time.
  bool is_watched_ = false;  // By watch_reader().
  bool is_reader_gone_ = false;
  std::shared_ptr<Cancellation> cancellation_;  // Of the answer that is being made.
  std::optional<Clock::time_point> peer_ended_;
  std::size_t held_ = 0;  // Of `body_bytes`.
  std::size_t requests_ = 0;
};

}  // namespace wattree
