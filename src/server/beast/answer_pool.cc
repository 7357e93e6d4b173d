#include "src/server/beast/answer_pool.h"

#include <utility>

#include "src/base/thread.h"

namespace wattree {

Status AnswerPool::start(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    Result<std::jthread> thread = start_thread("the server", [this] { run(); });
    if (!thread.ok()) return thread.error();
    threads_.push_back(std::move(thread).value());
  }
  return {};
}

bool AnswerPool::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || work_.size() >= most_waiting_) return false;
    work_.push_back(std::move(work));
    waiting_ = work_.size();
  }
  has_work_.notify_one();
  return true;
}

void AnswerPool::stop() {
  std::deque<std::function<void()>> forgotten;  // Destroyed without the lock.
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    forgotten.swap(work_);
    waiting_ = 0;
  }
  has_work_.notify_all();
  for (std::jthread& thread : threads_) thread.join();
  threads_.clear();
}

void AnswerPool::run() {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      has_work_.wait(lock, [this] { return is_stopping_ || !work_.empty(); });
      if (is_stopping_) return;
      work = std::move(work_.front());
      work_.pop_front();
      waiting_ = work_.size();
    }
    attempt(work);
  }
}

}  // namespace wattree
