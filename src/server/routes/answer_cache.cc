#include "src/server/routes/answer_cache.h"

#include <algorithm>

namespace wattree {
namespace {

// Clients that write one call in more ways than this have them computed as often as they like.
constexpr std::size_t kMostKeys = 8;
// What an entry takes beside its body and keys.
constexpr std::size_t kOverhead = 512;

}  // namespace

std::shared_ptr<const CachedAnswer> AnswerCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  const Entries::iterator entry = found->second;
  if (entry->answer->until && Clock::now() >= *entry->answer->until) {
    remove(entry);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  ++hits_;
  return entry->answer;
}

void AnswerCache::put(const std::string& key, std::shared_ptr<const CachedAnswer> answer,
                      std::uint64_t generation) {
  const std::size_t body = answer->answer.body ? answer->answer.body->size() : 0;
  const std::size_t bytes = body + key.size() + kOverhead;
  if (bytes > limits_.bytes / 4) return;  // One answer must not push out all others.
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  if (const auto found = index_.find(key); found != index_.end()) remove(found->second);
  while (!entries_.empty() &&
         (bytes_ + bytes > limits_.bytes || entries_.size() >= limits_.entries)) {
    remove(std::prev(entries_.end()));
    ++evictions_;
  }
  entries_.push_front({{key}, std::move(answer), bytes});
  index_[key] = entries_.begin();
  bytes_ += bytes;
}

void AnswerCache::add_key(const std::string& key, const std::string& other) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end() || index_.contains(other)) return;
  Entry& entry = *found->second;
  if (entry.keys.size() >= kMostKeys) return;
  entry.keys.push_back(other);
  entry.bytes += other.size();
  bytes_ += other.size();
  index_[other] = found->second;
}

void AnswerCache::remove(Entries::iterator entry) {
  for (const std::string& key : entry->keys) index_.erase(key);
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

void AnswerCache::clear() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  index_.clear();
  entries_.clear();
  bytes_ = 0;
}

CacheCounts AnswerCache::counts() const {
  const std::lock_guard lock(mutex_);
  return {hits_, misses_, evictions_, bytes_, entries_.size()};
}

}  // namespace wattree
