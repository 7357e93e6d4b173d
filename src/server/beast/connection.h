// Bytes over a socket, by TLS or as they are. Whoever waits for it is woken by cancel().
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string_view>

#include "src/server/beast/tls.h"

namespace wattree {

class Connection {
 public:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  Connection(boost::asio::io_context& context, int descriptor);

  // False: it failed, and nothing can be sent.
  Awaitable<bool> shake_hands(const TlsIdentity& identity);
  // 0: the peer has ended or gone, or the wait was cancelled.
  Awaitable<std::size_t> read_some(boost::asio::mutable_buffer out) {
    return tls_ ? read_tls(out) : read_raw(out);
  }
  // Both texts must live until it returns. False: the peer has gone, or the wait was cancelled.
  Awaitable<bool> write(std::string_view first, std::string_view second = {}) {
    return tls_ ? write_tls(first, second) : write_raw(first, second);
  }
  // Throws away what comes until the peer ends or goes. The connection cannot be read after it, but
  // may be written to meanwhile.
  Awaitable<void> wait_for_end();
  // Tells the peer that no more comes. To be followed by wait_for_end(): closing at once would take
  // the answer away from a peer that still sends.
  Awaitable<void> say_goodbye();

  // Whether the peer sends no more: it has gone, or has ended its half of the connection. Looks
  // past what it sent before.
  bool has_peer_ended();

  bool is_encrypted() const { return tls_ != nullptr; }
  void cancel();
  void close();

 private:
  Awaitable<std::size_t> read_tls(boost::asio::mutable_buffer out);
  Awaitable<bool> write_tls(std::string_view first, std::string_view second);
  Awaitable<std::size_t> read_raw(boost::asio::mutable_buffer out);
  Awaitable<bool> write_raw(std::string_view first, std::string_view second);

  boost::asio::generic::stream_protocol::socket socket_;
  std::unique_ptr<TlsConnection> tls_;
};

}  // namespace wattree
