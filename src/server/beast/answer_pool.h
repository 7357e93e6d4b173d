// Threads for answers that take a while.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "src/base/result.h"

namespace wattree {

class AnswerPool {
 public:
  // `waiting` is how many wait, at any time.
  AnswerPool(std::size_t most_waiting, std::atomic<std::uint64_t>& waiting)
      : most_waiting_(most_waiting), waiting_(waiting) {}
  AnswerPool(const AnswerPool&) = delete;
  AnswerPool& operator=(const AnswerPool&) = delete;
  ~AnswerPool() { stop(); }

  Status start(unsigned threads);
  // False where too many wait already, or it has stopped. Work that throws ends there.
  bool submit(std::function<void()> work);
  // Forgets what waits, and returns when what has begun is done.
  void stop();

 private:
  void run();

  const std::size_t most_waiting_;
  std::atomic<std::uint64_t>& waiting_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::function<void()>> work_;
  bool is_stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace wattree
