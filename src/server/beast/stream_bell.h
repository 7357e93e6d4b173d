// Wakes the session that reads a stream, from whatever thread has something to tell.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <mutex>

#include "src/server/beast/session.h"

namespace wattree {

class StreamBell : public std::enable_shared_from_this<StreamBell> {
 public:
  StreamBell(boost::asio::io_context& context, std::weak_ptr<Session> session)
      : context_(&context), session_(std::move(session)) {}

  // Many rings before the session looks are one.
  void ring() {
    if (is_rung_.exchange(true)) return;
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr) return;
    boost::asio::post(*context_, [self = shared_from_this()] {
      self->is_rung_ = false;
      if (const auto session = self->session_.lock()) session->wake();
    });
  }

  // Whoever rings later is not heard: the loop may be gone by then.
  void silence() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
  std::weak_ptr<Session> session_;
  std::atomic<bool> is_rung_ = false;
};

}  // namespace wattree
