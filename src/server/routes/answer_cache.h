// A bounded memory of answers, by the call that they belong to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/server/http/http.h"

namespace wattree {

// An answer as it is sent, in one encoding.
struct CachedAnswer {
  HttpAnswer answer;  // Status 200, with its ETag.
  std::string tag;
  std::size_t operation = 0;  // Index of its route.
  // It must be asked for anew then.
  std::optional<std::chrono::steady_clock::time_point> until = {};
};

struct CacheLimits {
  std::size_t bytes = std::size_t{32} << 20;
  std::size_t entries = 4096;
};

struct CacheCounts {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
  std::size_t bytes = 0, entries = 0;
};

// Whichever was not asked for longest goes first. May be used by many threads.
class AnswerCache {
 public:
  using Clock = std::chrono::steady_clock;
  explicit AnswerCache(const CacheLimits& limits) : limits_(limits) {}

  // `key` is a call as it came, or its canonical form: an answer has several keys. Counts a hit;
  // the caller counts a miss once it knows that no key has the answer.
  std::shared_ptr<const CachedAnswer> find(const std::string& key);
  void count_miss() { ++misses_; }
  void count_hit() { ++hits_; }  // Of an answer that was found before.

  // Under its canonical key. An answer that was computed before the last clear() is dropped:
  // `generation` is of when its making began.
  void put(const std::string& key, std::shared_ptr<const CachedAnswer> answer,
           std::uint64_t generation);
  // The entry of `key`, too; at most some for each entry.
  void add_key(const std::string& key, const std::string& other);

  void clear();
  std::uint64_t generation() const { return generation_; }
  CacheCounts counts() const;

 private:
  struct Entry {
    std::vector<std::string> keys;
    std::shared_ptr<const CachedAnswer> answer;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;
  void remove(Entries::iterator entry);  // With the lock held.

  const CacheLimits limits_;
  mutable std::mutex mutex_;
  Entries entries_;  // The one that was asked for last stands first.
  std::unordered_map<std::string, Entries::iterator> index_;
  std::size_t bytes_ = 0;
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, evictions_{0}, generation_{0};
};

}  // namespace wattree
