// Counters for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/server/http/web_counters.h"
#include "src/server/routes/answer_cache.h"
#include "src/server/routes/route.h"

namespace wattree {

// Calls by operation and status, and how long they took. May be used by many threads.
class Metrics {
 public:
  // One operation beside the routes' own: calls that no route has.
  explicit Metrics(const Routes& routes);

  std::size_t no_route() const { return operations_.size() - 1; }
  void count(std::size_t operation, int status, std::chrono::nanoseconds took);
  // In Prometheus's text format.
  std::string text(const CacheCounts& cache, const WebCounters& web) const;

 private:
  static constexpr std::array kStatuses{200, 201, 202, 204, 304, 400, 401, 403, 404,
                                        405, 409, 413, 415, 429, 500, 503, 0};
  // Upper ends of the histogram's buckets, in seconds.
  static constexpr std::array kBuckets{1e-5, 1e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0};
  struct Operation {
    std::string name;
    std::array<std::atomic<std::uint64_t>, kStatuses.size()> by_status{};
    std::array<std::atomic<std::uint64_t>, kBuckets.size() + 1> by_time{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  void write_times(std::string& out) const;

  std::vector<std::unique_ptr<Operation>> operations_;
};

}  // namespace wattree
