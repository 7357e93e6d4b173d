#include "src/server/routes/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <utility>

#include "src/base/version.h"

namespace wattree {
namespace {

void head(std::string& out, const char* name, const char* kind, const char* help) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, kind);
}

void labelled(std::string& out, const char* name, const char* help,
              std::initializer_list<std::pair<const char*, const WebCounters::Count*>> by_reason) {
  head(out, name, "counter", help);
  for (const auto& [reason, count] : by_reason) {
    out += fmt::format("{}{{reason=\"{}\"}} {}\n", name, reason, count->load());
  }
}

void single(std::string& out, const char* name, const char* kind, const char* help,
            std::uint64_t value) {
  head(out, name, kind, help);
  out += fmt::format("{} {}\n", name, value);
}

void write_transport(std::string& out, const WebCounters& web) {
  single(out, "wattree_connections_open", "gauge", "Connections.", web.connections);
  single(out, "wattree_connections_accepted_total", "counter", "Connections so far.", web.accepted);
  labelled(out, "wattree_connections_refused_total", "Connections above a limit.",
           {{"all", &web.refused_all}, {"peer", &web.refused_peer}});
  single(out, "wattree_connections_timed_out_total", "counter",
         "Connections that were cut because a request or an answer took too long.", web.timed_out);
  single(out, "wattree_requests_in_flight", "gauge", "Requests that are read and not answered yet.",
         web.in_flight);
  single(out, "wattree_requests_received_total", "counter", "Requests, also refused ones.",
         web.requests);
  single(out, "wattree_requests_repeated_total", "counter",
         "Requests of the same bytes as an earlier one, which got its answer.", web.repeated);
  labelled(out, "wattree_requests_refused_total", "Requests that no operation saw, or waited for.",
           {{"malformed", &web.malformed},
            {"too_large", &web.too_large},
            {"slow", &web.slow},
            {"no_memory", &web.no_memory},
            {"no_thread", &web.no_thread},
            {"late", &web.late},
            {"abandoned", &web.abandoned}});
  single(out, "wattree_received_bytes_total", "counter", "Bytes of requests.", web.received_bytes);
  single(out, "wattree_sent_bytes_total", "counter", "Bytes of answers and events.",
         web.sent_bytes);
  single(out, "wattree_request_body_bytes", "gauge", "Bodies that are held now.", web.body_bytes);
  single(out, "wattree_answer_bytes", "gauge", "Large answers that are being sent now.",
         web.answer_bytes);
  single(out, "wattree_stream_readers", "gauge", "Readers of events.", web.streams);
  single(out, "wattree_answers_waiting", "gauge", "Answers that wait for a thread.", web.waiting);
}

// Resident memory of this process; 0 where it cannot be read.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Metrics::Metrics(const Routes& routes) {
  for (const Route& route : routes) {
    operations_.push_back(std::make_unique<Operation>());
    operations_.back()->name = route.operation;
  }
  operations_.push_back(std::make_unique<Operation>());
  operations_.back()->name = "none";
}

void Metrics::count(std::size_t operation, int status, std::chrono::nanoseconds took) {
  Operation& counted = *operations_[operation];
  const auto known = std::find(kStatuses.begin(), kStatuses.end() - 1, status);
  ++counted.by_status[static_cast<std::size_t>(known - kStatuses.begin())];
  const double seconds = std::chrono::duration<double>(took).count();
  const auto bucket = std::lower_bound(kBuckets.begin(), kBuckets.end(), seconds);
  ++counted.by_time[static_cast<std::size_t>(bucket - kBuckets.begin())];
  counted.nanoseconds += static_cast<std::uint64_t>(std::max<std::int64_t>(0, took.count()));
}

void Metrics::write_times(std::string& out) const {
  const char* name = "wattree_http_request_duration_seconds";
  head(out, name, "histogram", "Time from a whole request to its answer.");
  for (const auto& operation : operations_) {
    std::uint64_t so_far = 0;
    std::string lines;
    for (std::size_t i = 0; i <= kBuckets.size(); ++i) {
      so_far += operation->by_time[i];
      lines += fmt::format("{}_bucket{{operation=\"{}\",le=\"{}\"}} {}\n", name, operation->name,
                           i < kBuckets.size() ? fmt::format("{}", kBuckets[i]) : "+Inf", so_far);
    }
    if (so_far == 0) continue;
    out += lines;
    out +=
        fmt::format("{0}_sum{{operation=\"{1}\"}} {2}\n{0}_count{{operation=\"{1}\"}} {3}\n", name,
                    operation->name, static_cast<double>(operation->nanoseconds) * 1e-9, so_far);
  }
}

std::string Metrics::text(const CacheCounts& cache, const WebCounters& web) const {
  std::string out;
  head(out, "wattree_build_info", "gauge", "The program that answers.");
  out += fmt::format("wattree_build_info{{version=\"{}\"}} 1\n", kVersion);
  head(out, "wattree_http_requests_total", "counter", "Answered requests.");
  for (const auto& operation : operations_) {
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
      const std::uint64_t count = operation->by_status[i];
      if (count == 0) continue;
      out += fmt::format("wattree_http_requests_total{{operation=\"{}\",status=\"{}\"}} {}\n",
                         operation->name,
                         kStatuses[i] == 0 ? "other" : std::to_string(kStatuses[i]), count);
    }
  }
  write_times(out);
  single(out, "wattree_cache_hits_total", "counter", "Answers out of the cache.", cache.hits);
  single(out, "wattree_cache_misses_total", "counter", "Cacheable answers that were computed.",
         cache.misses);
  single(out, "wattree_cache_evictions_total", "counter", "Answers that others pushed out.",
         cache.evictions);
  single(out, "wattree_cache_bytes", "gauge", "Size of the answers in the cache.", cache.bytes);
  single(out, "wattree_cache_entries", "gauge", "Answers in the cache.", cache.entries);
  write_transport(out, web);
  single(out, "process_resident_memory_bytes", "gauge", "Resident memory.", resident_bytes());
  return out;
}

}  // namespace wattree
