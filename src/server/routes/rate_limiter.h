// How often each caller may ask.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "src/server/routes/server_options.h"

namespace wattree {

// A token bucket for each caller. May be used by many threads.
class RateLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit RateLimiter(const RateLimit& limit, std::size_t most_callers = 100'000)
      : limit_(limit), most_callers_(most_callers) {}

  // None: the caller may go on. Otherwise whole seconds after which it may ask again.
  std::optional<int> take(const std::string& caller, Time now);
  // Counts as so many calls more, which later ones wait for.
  void charge(const std::string& caller, double calls);

 private:
  struct Bucket {
    double tokens = 0;
    Time filled;
  };
  void forget_full(Time now);  // With the lock held.

  const RateLimit limit_;
  const std::size_t most_callers_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

// Whom a limit counts: an IPv4 address, or the first 64 bits of an IPv6 one, which one subscriber
// has all to himself.
std::string counted_address(const std::string& address);

}  // namespace wattree
