// What clients may cost. Every limit has a default that suits one machine's server.
#pragma once

#include <chrono>
#include <cstddef>

namespace wattree {

struct WebLimits {
  using Time = std::chrono::milliseconds;

  // Connections at a time; beyond them new ones get 503. A peer is an IPv4 address or an IPv6
  // network of 64 bits. Loopback and Unix sockets count as no peer: a proxy is one of them.
  std::size_t connections = 16'000;
  std::size_t connections_per_peer = 256;
  std::size_t requests_per_connection = 100'000;

  // Sizes in bytes: beyond them 431 or 414, 400, 413.
  std::size_t head = std::size_t{16} << 10;
  std::size_t headers = 100;
  std::size_t parameters = 256;
  std::size_t body = std::size_t{64} << 20;
  // Of all bodies that are being received or answered, together: beyond it 503.
  std::size_t bodies = std::size_t{256} << 20;
  // Of all answers that are being sent, but for small ones: beyond it 503.
  std::size_t answers = std::size_t{32} << 20;
  std::size_t small_answer = std::size_t{64} << 10;

  // Beyond these times a client gets 408 where it has begun a request, and is cut otherwise.
  Time idle{60'000};           // Until the first byte of a request.
  Time head_time{10'000};      // From there to the empty line; also for the handshake of TLS.
  Time transfer_time{20'000};  // For a body or an answer, beside what its size takes at
  std::size_t slowest_bytes_per_second = 32 * 1024;  // this rate.
  Time answer_time{60'000};                          // For the application; then 503.
  // For the application once the client has ended: it may still read, or be gone.
  Time abandoned_time{1'000};

  // Answers that wait for a thread; beyond them 503.
  std::size_t waiting_answers = 256;
  // 0: as many as there are cores, but at most 4.
  unsigned answer_threads = 0;
  unsigned socket_threads = 0;

  Time asked_again{2'000};  // Whether a stream's reader may still read it.
  Time heartbeat{15'000};   // A comment in a stream that has no event for so long.
  // What a stop waits for answers and streams in flight.
  Time stop_time{5'000};
};

}  // namespace wattree
