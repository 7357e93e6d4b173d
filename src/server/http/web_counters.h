// What the transport counts, for whoever tells of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace wattree {

// May be used by many threads. "Refused" is what never reached the application.
struct WebCounters {
  using Count = std::atomic<std::uint64_t>;

  // Now:
  Count connections = 0;
  Count streams = 0;       // Readers of events.
  Count in_flight = 0;     // Requests that are read and not answered yet.
  Count waiting = 0;       // Answers that wait for a thread.
  Count body_bytes = 0;    // Of requests that are being read or answered.
  Count answer_bytes = 0;  // Of large answers that are being sent.

  // Since the start:
  Count accepted = 0;
  Count refused_all = 0;   // Connections: there were too many in all,
  Count refused_peer = 0;  // or too many of one peer.
  Count requests = 0;
  Count repeated = 0;  // Of them, those of the same bytes as an earlier one.
  Count received_bytes = 0;
  Count sent_bytes = 0;
  Count malformed = 0;  // Requests: they could not be read,
  Count too_large = 0;  // were above a limit,
  Count slow = 0;       // did not come in time,
  Count no_memory = 0;  // had no room beside the other bodies,
  Count no_thread = 0;  // or in the line for a thread,
  Count late = 0;       // or the application took too long.
  Count abandoned = 0;  // The client went before it had its answer.
  Count timed_out = 0;  // Connections that were cut in the middle of something.
};

}  // namespace wattree
