#include "src/server/beast/connection.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace wattree {
namespace {

namespace asio = boost::asio;
using Step = TlsConnection::Step;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
// Of plain text at a time: an answer is not in memory twice.
constexpr std::size_t kTlsPiece = std::size_t{64} << 10;

}  // namespace

Connection::Connection(asio::io_context& context, int descriptor) : socket_(context) {
  boost::system::error_code code;
  socket_.assign(asio::generic::stream_protocol(AF_UNSPEC, 0), descriptor, code);
  if (code) {
    ::close(descriptor);  // Every read and write will fail, and the session end.
  } else {
    socket_.non_blocking(true, code);
  }
}

void Connection::cancel() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

void Connection::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<bool> Connection::shake_hands(const TlsIdentity& identity) {
  tls_ = identity.connection();
  std::array<char, 4096> piece{};
  while (true) {
    const Step step = tls_->shake_hands();
    const std::string out = tls_->take_output();
    if (!out.empty()) {
      const bool is_written = co_await write_raw(out, {});
      if (!is_written) co_return false;
    }
    if (step != Step::kNeedsInput) co_return step == Step::kDone;
    const std::size_t size = co_await read_raw(asio::buffer(piece));
    if (size == 0) co_return false;
    tls_->put_input({piece.data(), size});
  }
}

asio::awaitable<std::size_t> Connection::read_tls(asio::mutable_buffer out) {
  const auto encrypted = std::make_unique<std::array<char, 16384>>();
  while (true) {
    std::size_t size = 0;
    const Step step = tls_->read({static_cast<char*>(out.data()), out.size()}, size);
    const std::string answer = tls_->take_output();  // Of the protocol itself.
    if (!answer.empty()) {
      const bool is_written = co_await write_raw(answer, {});
      if (!is_written) co_return 0;
    }
    if (step == Step::kDone) co_return size;
    if (step == Step::kEnded) co_return 0;
    const std::size_t got = co_await read_raw(asio::buffer(*encrypted));
    if (got == 0) co_return 0;
    tls_->put_input({encrypted->data(), got});
  }
}

asio::awaitable<bool> Connection::write_tls(std::string_view first, std::string_view second) {
  const std::array<std::string_view, 2> texts{first, second};
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, kTlsPiece);
      text.remove_prefix(piece.size());
      if (tls_->write(piece) != Step::kDone) co_return false;
      const std::string encrypted = tls_->take_output();
      const bool is_written = co_await write_raw(encrypted, {});
      if (!is_written) co_return false;
    }
  }
  co_return true;
}

asio::awaitable<std::size_t> Connection::read_raw(asio::mutable_buffer out) {
  const auto [code, size] = co_await socket_.async_read_some(out, kAwait);
  co_return code ? 0 : size;
}

asio::awaitable<bool> Connection::write_raw(std::string_view first, std::string_view second) {
  // Mostly the socket takes all of it at once, and nobody has to wait.
  const std::array<asio::const_buffer, 2> all{asio::buffer(first), asio::buffer(second)};
  boost::system::error_code failure;
  const std::size_t done = socket_.write_some(all, failure);
  if (failure && failure != asio::error::would_block && failure != asio::error::try_again) {
    co_return false;
  }
  first.remove_prefix(std::min(done, first.size()));
  second.remove_prefix(done > all[0].size() ? done - all[0].size() : 0);
  if (first.empty() && second.empty()) co_return true;
  const std::array<asio::const_buffer, 2> rest{asio::buffer(first), asio::buffer(second)};
  const auto [code, size] = co_await asio::async_write(socket_, rest, kAwait);
  co_return !code;
}

bool Connection::has_peer_ended() {
  pollfd seen{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&seen, 1, 0) > 0;
}

asio::awaitable<void> Connection::wait_for_end() {
  std::array<char, 4096> piece{};
  std::size_t size = 1;
  while (size > 0) size = co_await read_raw(asio::buffer(piece));
}

asio::awaitable<void> Connection::say_goodbye() {
  if (tls_) {
    tls_->say_goodbye();
    const std::string out = tls_->take_output();
    if (!out.empty()) co_await write_raw(out, {});
  }
  boost::system::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

}  // namespace wattree
