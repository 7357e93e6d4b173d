#include "src/server/routes/rate_limiter.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace wattree {

std::optional<int> RateLimiter::take(const std::string& caller, Time now) {
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= most_callers_ && !buckets_.contains(caller)) forget_full(now);
  const auto [at, is_new] = buckets_.try_emplace(caller, Bucket{limit_.burst, now});
  Bucket& bucket = at->second;
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.tokens =
      std::min(limit_.burst, bucket.tokens + std::max(0.0, seconds) * limit_.per_second);
  bucket.filled = now;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::nullopt;
  }
  constexpr double kLongest = 3600;
  const double wait = (1 - bucket.tokens) / std::max(limit_.per_second, 1e-9);
  return static_cast<int>(std::ceil(std::min(wait, kLongest)));
}

void RateLimiter::charge(const std::string& caller, double calls) {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(caller);
  if (found != buckets_.end()) found->second.tokens -= calls;
}

// Callers whose bucket is full again are as good as new; where all are busy, all start anew.
void RateLimiter::forget_full(Time now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    const double seconds = std::chrono::duration<double>(now - entry.second.filled).count();
    return entry.second.tokens + seconds * limit_.per_second >= limit_.burst;
  });
  if (buckets_.size() >= most_callers_) buckets_.clear();
}

std::string counted_address(const std::string& address) {
  in6_addr bytes{};
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return address;
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) return address.substr(address.rfind(':') + 1);
  std::fill(std::begin(bytes.s6_addr) + 8, std::end(bytes.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &bytes, text.data(), text.size());
  return text.data();
}

}  // namespace wattree
