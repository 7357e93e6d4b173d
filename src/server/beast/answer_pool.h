// Threads for answers that take a while.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "src/base/result.h"

namespace wattree {

class AnswerPool {
 public:
  explicit AnswerPool(std::size_t most_waiting) : most_waiting_(most_waiting) {}
  AnswerPool(const AnswerPool&) = delete;
  AnswerPool& operator=(const AnswerPool&) = delete;
  ~AnswerPool() { stop(); }

  Status start(unsigned threads);
  // False where too many wait already, or it has stopped. Work never throws.
  bool submit(std::function<void()> work);
  // Forgets what waits, and returns when what has begun is done.
  void stop();
  std::size_t waiting() const;

 private:
  void run();

  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::function<void()>> work_;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wattree
