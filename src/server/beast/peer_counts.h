// How many connections there are, in all and by peer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace wattree {

enum class Admission { kAdmitted, kTooMany, kTooManyOfPeer };

class PeerCounts {
 public:
  PeerCounts(std::size_t most, std::size_t most_per_peer)
      : most_(most), most_per_peer_(most_per_peer) {}

  // An empty key: a peer without a limit of its own.
  Admission add(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (all_ >= most_) return Admission::kTooMany;
    if (!key.empty()) {
      std::size_t& count = by_key_[key];
      if (count >= most_per_peer_) return Admission::kTooManyOfPeer;
      ++count;
    }
    ++all_;
    return Admission::kAdmitted;
  }

  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (--all_ == 0) none_.notify_all();
    const auto found = by_key_.find(key);
    if (found != by_key_.end() && --found->second == 0) by_key_.erase(found);
  }

  // Until there are none, or for so long.
  void wait_for_none(std::chrono::milliseconds at_most) const {
    std::unique_lock lock(mutex_);
    none_.wait_for(lock, at_most, [this] { return all_ == 0; });
  }

 private:
  const std::size_t most_, most_per_peer_;
  mutable std::mutex mutex_;
  mutable std::condition_variable none_;
  std::size_t all_ = 0;
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace wattree
