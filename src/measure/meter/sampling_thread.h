// A thread that reads meters again and again: when they are due, and when a bell rings.
//
// Tracking (sampler.h) and measuring (src/measure/protocol/watch.h) both read from such threads.
// What they keep of the readings differs: tracking hands integrals through a ring without locks or
// allocation, so that hours cost nothing; measuring keeps every tick of the last half minute, to
// cut windows at. So they share the thread and not the store.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "src/base/result.h"
#include "src/measure/meter/clock.h"

namespace wattree {

class SamplingThread {
 public:
  // Reads what is due and says when to come back; at a mark the bell has rung. One that throws is
  // called again soon, at a mark for that mark.
  using Poll = std::function<Nanos(bool is_mark)>;

  explicit SamplingThread(Poll poll) : poll_(std::move(poll)) {}
  SamplingThread(const SamplingThread&) = delete;
  SamplingThread& operator=(const SamplingThread&) = delete;
  // Ends it, and waits for that.
  ~SamplingThread();

  // No signal ever reaches the thread. kUnavailable where the system has none to give.
  Status start(const Clock& clock);
  // Asks for a poll now; returns at once. From any thread.
  void ring() const;
  // Asks for one more poll, at a mark, and the end.
  void ask_to_end();
  // Waits for that end, at most until then by boot_clock(). False: a driver hangs, and the thread
  // is left to itself. This object must then stay where it is for good.
  bool join(Nanos until);

 private:
  void run();

  Poll poll_;
  Clock clock_;
  std::jthread thread_;
  int bell_ = -1;  // An eventfd.
  std::atomic<bool> is_ending_{false}, is_done_{false};
};

}  // namespace wattree
