#include "src/server/beast/session.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>

#include "src/server/beast/answer_head.h"
#include "src/server/beast/counted.h"

namespace wattree {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

// Requests are small, so that idle connections are; bodies are read in larger pieces.
constexpr std::size_t kHeadPiece = 2048;
constexpr std::size_t kBodyPiece = std::size_t{64} << 10;
// Behind the last header.
constexpr std::string_view kEmptyLine = "\r\n\r\n";

HttpAnswer internal_error() {
  return problem_answer({ErrorCode::kInternal, "the server failed to answer", "please report it"});
}

HttpAnswer busy(std::string message, std::string hint) {
  return problem_answer({ErrorCode::kUnavailable, std::move(message), std::move(hint)});
}

// Applications never throw, but memory runs out.
template <class Function>
auto without_throwing(const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    return internal_error();
  }
}

WebCounters::Count& refused_as(int status, WebCounters& counters) {
  switch (status) {
    case 408: return counters.slow;
    case 413:
    case 414:
    case 431: return counters.too_large;
    case 503: return counters.no_memory;
    default: return counters.malformed;
  }
}

}  // namespace

Session::Session(SocketLoop& loop, int descriptor, ConnectionOrigin origin)
    : loop_(loop),
      shared_(loop.shared()),
      limits_(shared_.limits),
      origin_(std::move(origin)),
      connection_(loop.context(), descriptor),
      signal_(loop.context()),
      phase_began_(Clock::now()),
      deadline_(Clock::time_point::max()) {}

Session::~Session() {
  loop_.leave(*this);
  hold_body(0);
  --shared_.counters.connections;
  shared_.peers.remove(origin_.peer_key);
}

void Session::begin() {
  loop_.enter(*this);
  asio::co_spawn(
      loop_.context(), [self = shared_from_this()] { return self->run(); },
      // An exception is memory that ran out: the connection ends, and the others go on.
      [self = shared_from_this()](const std::exception_ptr&) { self->connection_.close(); });
}

void Session::check(Clock::time_point now) {
  if (phase_ == Phase::kAnswer) look_for_peer(now);
  if (now < deadline_) return;
  deadline_ = Clock::time_point::max();
  is_late_ = true;
  if (phase_ != Phase::kIdle && phase_ != Phase::kLinger) ++shared_.counters.timed_out;
  connection_.cancel();
  wake();
}

// Nobody needs an answer whose client is gone. One that has only ended its half may still read: it
// is given a little more time.
void Session::look_for_peer(Clock::time_point now) {
  if (!peer_ended_ && connection_.has_peer_ended()) peer_ended_ = now;
  if (!peer_ended_ || is_reader_gone_ || now - *peer_ended_ < limits_.abandoned_time) return;
  is_reader_gone_ = true;
  ++shared_.counters.abandoned;
  wake();
}

void Session::begin_stop() {
  if (phase_ == Phase::kIdle || phase_ == Phase::kLinger) connection_.cancel();
  if (phase_ == Phase::kStream) wake();
}

void Session::expect(Phase phase, std::chrono::milliseconds within) {
  phase_ = phase;
  is_late_ = false;
  phase_began_ = Clock::now();
  deadline_ = phase_began_ + within;
}

// A transfer of so many bytes, which may take the longer the more there are.
void Session::expect_transfer(Phase phase, std::size_t bytes) {
  if (phase_ != phase) expect(phase, {});
  const std::size_t rate = std::max<std::size_t>(limits_.slowest_bytes_per_second, 1);
  deadline_ = phase_began_ + limits_.transfer_time + std::chrono::milliseconds(bytes * 1000 / rate);
}

// So many bytes of a body are held now.
void Session::hold_body(std::size_t bytes) {
  if (bytes == held_) return;
  shared_.counters.body_bytes += bytes - held_;
  held_ = bytes;
}

std::string_view Session::unread() const {
  const auto waiting = in_.data();
  return {static_cast<const char*>(waiting.data()), waiting.size()};
}

asio::awaitable<void> Session::wait(Clock::duration at_most) {
  if (at_most == Clock::duration::max()) {
    signal_.expires_at(Clock::time_point::max());
  } else {
    signal_.expires_after(at_most);
  }
  co_await signal_.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<void> Session::run() {
  bool goes_on = true;
  if (origin_.tls) {
    expect(Phase::kHead, limits_.head_time);
    goes_on = co_await connection_.shake_hands(*origin_.tls);
  }
  while (goes_on) {
    goes_on = co_await begin_request();
    if (!goes_on) break;
    if (const std::shared_ptr<const std::string> body = repeated()) {
      goes_on = co_await send(*body);
      continue;
    }
    std::optional<Call> call = co_await read_call();
    if (!call) break;
    goes_on = co_await answer(*std::move(call));
    hold_body(0);
  }
  connection_.close();
  loop_.leave(*this);
}

asio::awaitable<bool> Session::begin_request() {
  expect(Phase::kIdle, limits_.idle);
  if (in_.size() > 0) co_return true;  // It came with the one before.
  if (shared_.is_stopping) co_return false;
  const std::size_t size = co_await connection_.read_some(in_.prepare(kHeadPiece));
  in_.commit(size);
  shared_.counters.received_bytes += size;
  co_return size > 0;
}

std::shared_ptr<const std::string> Session::repeated() {
  const std::string_view bytes = unread();
  const std::size_t end = bytes.find(kEmptyLine);
  const bool may_be_last = shared_.is_stopping || requests_ + 1 >= limits_.requests_per_connection;
  if (end == std::string_view::npos || may_be_last) return nullptr;
  const std::string_view request = bytes.substr(0, end + kEmptyLine.size());
  const RepeatedAnswer* found = loop_.repeated().find(request, origin_);
  if (found == nullptr) return nullptr;
  (((head_ = found->head) += "Date: ") += loop_.date()) += kEmptyLine;
  in_.consume(request.size());
  ++requests_;
  ++shared_.counters.requests;
  ++shared_.counters.repeated;
  return found->body;
}

void Session::keep_for_repeats(const HttpAnswer& answer, int version) {
  RepeatedAnswer kept{origin_, {}, answer.body, answer.holds};
  append_head(kept.head, answer, {version, true, {}});
  kept.head.resize(kept.head.size() - 2);  // The empty line follows the date.
  loop_.repeated().put(request_, std::move(kept));
}

asio::awaitable<std::optional<Session::Call>> Session::read_call() {
  Call call;
  call.http = std::make_shared<HttpCall>();
  call.http->peer = origin_.peer;
  call.http->is_from_here = origin_.peer_key.empty();
  call.http->is_own_user = origin_.is_own_user;
  call.http->is_encrypted = connection_.is_encrypted();
  call.http->listener = origin_.listener;
  CallParser parser(*call.http, limits_);
  request_.clear();
  while (true) {
    if (in_.size() > 0 && !parse(parser, call)) break;
    if (parser.is_done()) break;
    const bool is_body = parser.is_header_done();
    if (is_body && phase_ == Phase::kHead && parser.expects_continue() && call.http->body.empty()) {
      const bool is_told = co_await connection_.write("HTTP/1.1 100 Continue\r\n\r\n");
      if (!is_told) co_return std::nullopt;
    }
    if (is_body) expect_transfer(Phase::kBody, call.http->body.size());
    const auto place = in_.prepare(is_body ? kBodyPiece : kHeadPiece);
    const std::size_t size = co_await connection_.read_some(place);
    if (size == 0) {
      if (!is_late_) co_return std::nullopt;
      call.problem = CallProblem{
          408, {ErrorCode::kUnavailable, "the request did not come in time", "send it again"}};
      break;
    }
    in_.commit(size);
    shared_.counters.received_bytes += size;
  }
  // A large piece is not kept for the next request.
  if (in_.capacity() > limits_.head) in_.shrink_to_fit();
  call.version = parser.version();
  call.is_head = call.http->method == "HEAD";
  ++requests_;
  const bool is_whole = !call.problem && !(call.terms && call.terms->refusal);
  call.keeps = is_whole && parser.keep_alive() && requests_ < limits_.requests_per_connection;
  co_return call;
}

bool Session::parse(CallParser& parser, Call& call) {
  const bool is_first = phase_ == Phase::kIdle;
  if (is_first) expect(Phase::kHead, limits_.head_time);
  boost::beast::error_code code;
  const std::string_view bytes = unread();
  if (!parser.is_header_done() && has_folded_line(bytes)) {
    call.problem = CallProblem{
        400,
        {ErrorCode::kInvalidInput, "a header goes on in the next line", "write it in one line"}};
    return false;
  }
  const std::size_t used = parser.put(in_.data(), code);
  // Beast bounds heads and bodies, but neither the line before a chunk nor what follows the last.
  if (code == http::error::need_more && bytes.size() - used >= limits_.head) {
    code = http::error::header_limit;
  }
  if (code && code != http::error::need_more) {
    call.problem = parser.problem_of(code, bytes);
    return false;
  }
  const bool is_whole = is_first && parser.is_done() && used <= RepeatedAnswers::kLongestRequest;
  if (is_whole && bytes.find(kEmptyLine) + kEmptyLine.size() == used) {
    request_ = bytes.substr(0, used);
  }
  in_.consume(used);
  hold_body(call.http->body.size());
  if (parser.is_header_done() && !takes_body(parser, call)) {
    call.http->body = {};
    hold_body(0);
    return false;
  }
  return true;
}

bool Session::takes_body(const CallParser& parser, Call& call) {
  const HttpCall& http = *call.http;
  const auto& application = shared_.application;
  if (!parser.is_done() && !call.terms && application.body_terms) {
    call.terms = application.body_terms(http);
    if (call.terms->refusal) return false;
  }
  const std::size_t most = call.terms ? call.terms->most_bytes : limits_.body;
  const std::size_t most_of_all =
      std::min(limits_.bodies, call.terms ? call.terms->most_of_all : limits_.bodies);
  if (std::max<std::uint64_t>(parser.content_length().value_or(0), http.body.size()) > most) {
    call.problem = too_long(most);
  } else if (held_ > 0 && shared_.counters.body_bytes > most_of_all) {
    call.problem = CallProblem{503,
                               {ErrorCode::kUnavailable, "the server has too many bodies to read",
                                "try again in a while"}};
  }
  return !call.problem;
}

// Whether the connection goes on.
asio::awaitable<bool> Session::answer(Call call) {
  ++shared_.counters.requests;
  std::optional<Counted> in_flight(shared_.counters.in_flight);
  HttpAnswer answer;
  if (call.problem) {
    ++refused_as(call.problem->status, shared_.counters);
    answer = problem_answer(call.problem->error, call.problem->status);
    if (shared_.application.note_refusal) shared_.application.note_refusal(*call.http, answer);
  } else if (call.terms && call.terms->refusal) {
    answer = *std::move(call.terms->refusal);
  } else {
    if (call.is_head) call.http->method = "GET";
    answer = co_await answer_of(call.http);
  }
  if (!is_sendable(answer)) answer = internal_error();
  const bool keeps = call.keeps && !answer.events && !shared_.is_stopping && !is_reader_gone_;
  if (answer.holds && keeps && !call.is_head && !request_.empty()) {
    keep_for_repeats(answer, call.version);
  }
  std::optional<Counted> held;
  if (const std::size_t size = answer.body ? answer.body->size() : 0; size > limits_.small_answer) {
    held.emplace(shared_.counters.answer_bytes, size);
    // One that is larger than all may be is sent alone.
    const std::size_t others = shared_.counters.answer_bytes - size;
    if (others > 0 && others + size > limits_.answers) {
      held.reset();
      answer = busy("the server is sending too many large answers", "try again in a while");
    }
  }
  head_.clear();
  append_head(head_, answer, {call.version, keeps, loop_.date()});
  std::string_view body;
  if (answer.body && may_have_body(answer.status) && !answer.events && !call.is_head) {
    body = *answer.body;
  }
  const bool is_sent = co_await send(body);
  in_flight.reset();
  if (is_sent && answer.events && !call.is_head) co_await stream(answer);
  if (is_sent && !keeps && !is_reader_gone_) co_await linger();
  const bool goes_on = is_sent && keeps;
  co_return goes_on;
}

// Behind head_.
asio::awaitable<bool> Session::send(std::string_view body) {
  expect_transfer(Phase::kSend, body.size());
  shared_.counters.sent_bytes += head_.size() + body.size();
  return connection_.write(head_, body);
}

asio::awaitable<HttpAnswer> Session::answer_of(std::shared_ptr<HttpCall> http) {
  if (shared_.application.answer_at_once) {
    std::optional<HttpAnswer> found =
        without_throwing([&] { return shared_.application.answer_at_once(*http); });
    if (found) co_return *std::move(found);
  }
  co_return co_await ask(std::move(http));
}

// A thread of the pool.
asio::awaitable<HttpAnswer> Session::ask(std::shared_ptr<HttpCall> http) {
  expect(Phase::kAnswer, limits_.answer_time);
  const auto place = std::make_shared<std::optional<HttpAnswer>>();
  cancellation_ = std::make_shared<Cancellation>(shared_.cancellation);
  peer_ended_.reset();
  http->cancellation = cancellation_;
  // A thread of the pool never holds the session, which must end on its own thread.
  const bool is_taken = shared_.pool.submit(
      [&shared = shared_, &context = loop_.context(), session = weak_from_this(), http, place] {
        if (http->cancellation->is_cancelled()) return;  // It waited for longer than the client.
        HttpAnswer answer = without_throwing([&] { return shared.application.answer(*http); });
        asio::post(context, [session, place, answer = std::move(answer)]() mutable {
          *place = std::move(answer);
          if (const auto self = session.lock()) self->wake();
        });
      });
  if (!is_taken) {
    ++shared_.counters.no_thread;
    co_return busy("the server has too much to do", "try again in a while");
  }
  while (!*place && !is_late_ && !is_reader_gone_) co_await wait(Clock::duration::max());
  if (*place) co_return std::move(**place);
  cancellation_->cancel();
  if (!is_reader_gone_) ++shared_.counters.late;
  co_return busy("the answer takes too long", "ask for less at a time, or try again in a while");
}

}  // namespace wattree
