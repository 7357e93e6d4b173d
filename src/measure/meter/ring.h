// A queue of fixed size between one thread that writes and one that reads, without locks.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

namespace wattree {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t least) : slots_(std::bit_ceil(least)) {}

  // False where it is full: what is in it is never overwritten.
  bool push(const T& value) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[head & (slots_.size() - 1)] = value;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  bool pop(T& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return false;
    value = slots_[tail & (slots_.size() - 1)];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

 private:
  std::vector<T> slots_;
  // Apart, so that the two threads do not take the same cache line from each other.
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace wattree
