#include "src/measure/meter/sampling_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr Nanos kRetry = 100 * kNanosPerMillisecond;

}  // namespace

SamplingThread::~SamplingThread() {
  ask_to_end();
  join(std::numeric_limits<Nanos>::max());
}

Status SamplingThread::start(const Clock& clock) {
  clock_ = clock;
  is_ending_ = false;
  is_done_ = false;
  bell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell_ < 0) {
    return Error{ErrorCode::kUnavailable,
                 std::string("the sampler cannot start: ") + std::strerror(errno),
                 "raise the limit of open files (ulimit -n)"};
  }
  Result<std::jthread> thread = start_thread("the sampler", [this] { run(); });
  if (!thread.ok()) {
    ::close(bell_);
    bell_ = -1;
    return thread.error();
  }
  thread_ = std::move(thread).value();
  return {};
}

void SamplingThread::run() {
  bool is_mark = false;
  while (!is_ending_.load(std::memory_order_acquire)) {
    // A poll that fails, as for want of memory, must not end the program: it is tried again.
    Nanos next = clock_.now() + kRetry;
    const bool is_read = attempt([&] { next = poll_(is_mark); });
    if (!is_read && is_mark) ring();
    Nanos wait = std::max<Nanos>(0, next - clock_.now());
    // After a mark the bell is not heard for a millisecond: however many marks there are, they cost
    // a thousand readings a second at most.
    const nfds_t listening = is_mark ? 0 : 1;
    if (is_mark) wait = std::min(wait, kNanosPerMillisecond);
    const timespec timeout{wait / kNanosPerSecond, wait % kNanosPerSecond};
    pollfd bell{bell_, POLLIN, 0};
    is_mark = ::ppoll(&bell, listening, &timeout, nullptr) > 0;
    if (is_mark) {
      std::uint64_t rings = 0;
      [[maybe_unused]] const ssize_t got = ::read(bell_, &rings, sizeof rings);
    }
  }
  attempt([&] { poll_(true); });
  is_done_.store(true, std::memory_order_release);
}

void SamplingThread::ring() const {
  if (bell_ < 0) return;
  const std::uint64_t one = 1;
  // It can only fail where it has rung already.
  [[maybe_unused]] const ssize_t written = ::write(bell_, &one, sizeof one);
}

void SamplingThread::ask_to_end() {
  is_ending_.store(true, std::memory_order_release);
  ring();
}

bool SamplingThread::join(Nanos until) {
  if (thread_.joinable()) {
    const auto is_done = [&] { return is_done_.load(std::memory_order_acquire); };
    while (!is_done() && boot_clock().now() < until) ::poll(nullptr, 0, 1);
    if (!is_done()) {
      thread_.detach();
      return false;
    }
    thread_.join();
  }
  if (bell_ >= 0) ::close(bell_);
  bell_ = -1;
  return true;
}

}  // namespace wattree
