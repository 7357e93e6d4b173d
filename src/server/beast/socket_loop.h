// One thread that serves its share of the connections, and what all such threads share.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>

#include "src/base/result.h"
#include "src/server/beast/answer_pool.h"
#include "src/server/beast/connection_origin.h"
#include "src/server/beast/listening_socket.h"
#include "src/server/beast/peer_counts.h"
#include "src/server/beast/repeated_answers.h"
#include "src/server/beast/server.h"

namespace wattree {

struct WebShared {
  WebShared(Application asked, const WebLimits& allowed)
      : application(std::move(asked)),
        limits(allowed),
        kept_counters(application.counters ? application.counters
                                           : std::make_shared<WebCounters>()),
        counters(*kept_counters),
        peers(allowed.connections, allowed.connections_per_peer),
        pool(allowed.waiting_answers, counters.waiting) {}

  const Application application;
  const WebLimits limits;
  const std::shared_ptr<WebCounters> kept_counters;
  WebCounters& counters;
  PeerCounts peers;
  AnswerPool pool;
  std::atomic<bool> is_stopping = false;
  // Of all answers that are being made: once the server will not wait for them any longer.
  const std::shared_ptr<Cancellation> cancellation = std::make_shared<Cancellation>();
};

class Session;

class SocketLoop {
 public:
  explicit SocketLoop(WebShared& shared) : shared_(shared), context_(1), sweep_(context_) {}
  SocketLoop(const SocketLoop&) = delete;
  SocketLoop& operator=(const SocketLoop&) = delete;
  ~SocketLoop() { end(); }

  Status start();
  // From any thread: serves a connection, which is counted in `peers` already.
  void adopt(int descriptor, ConnectionOrigin origin);
  // From any thread: idle connections end, streams send what they have.
  void begin_stop();
  // Whatever is still open is cut.
  void end();

  // For its sessions, on its thread.
  WebShared& shared() { return shared_; }
  boost::asio::io_context& context() { return context_; }
  void enter(Session& session);
  void leave(Session& session) { sessions_.erase(&session); }
  const std::string& date();
  RepeatedAnswers& repeated() { return repeated_; }

 private:
  void begin_sweep();
  boost::asio::awaitable<void> sweep();

  WebShared& shared_;
  std::unordered_set<Session*> sessions_;  // Before the context, whose end is theirs.
  boost::asio::io_context context_;
  boost::asio::steady_timer sweep_;
  bool is_sweeping_ = false;
  std::int64_t date_second_ = -1;
  std::string date_;
  RepeatedAnswers repeated_;
  std::jthread thread_;
};

}  // namespace wattree
