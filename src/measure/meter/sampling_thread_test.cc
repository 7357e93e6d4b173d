#include "src/measure/meter/sampling_thread.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <new>

namespace wattree {
namespace {

constexpr Nanos kHour = 3600 * kNanosPerSecond;

void wait_for(const std::function<bool()>& is_so) {
  const Nanos until = boot_clock().now() + 30 * kNanosPerSecond;
  while (!is_so() && boot_clock().now() < until) ::poll(nullptr, 0, 1);
  EXPECT_TRUE(is_so());
}

TEST(SamplingThread, PollsWhenItIsDueAndOnceMoreAtTheEnd) {
  std::atomic<int> due = 0;
  std::atomic<int> marks = 0;
  SamplingThread thread([&](bool is_mark) {
    ++(is_mark ? marks : due);
    return boot_clock().now() + kNanosPerMillisecond;
  });
  ASSERT_TRUE(thread.start(boot_clock()).ok());
  wait_for([&] { return due >= 5; });
  EXPECT_EQ(marks, 0);
  thread.ask_to_end();
  ASSERT_TRUE(thread.join(boot_clock().now() + kHour));
  EXPECT_GE(marks, 1);
}

TEST(SamplingThread, ABellWakesItAndItCanStartAgain) {
  std::atomic<int> marks = 0;
  SamplingThread thread([&](bool is_mark) {
    marks += is_mark;
    return boot_clock().now() + kHour;
  });
  for (int i = 0; i < 2; ++i) {
    marks = 0;
    ASSERT_TRUE(thread.start(boot_clock()).ok());
    thread.ring();
    wait_for([&] { return marks >= 1; });
    thread.ask_to_end();
    ASSERT_TRUE(thread.join(boot_clock().now() + kHour));
  }
}

TEST(SamplingThread, APollThatThrowsIsTriedAgain) {
  std::atomic<int> polls = 0;
  SamplingThread thread([&](bool) -> Nanos {
    if (++polls != 3) throw std::bad_alloc();
    return boot_clock().now() + kNanosPerMillisecond;
  });
  ASSERT_TRUE(thread.start(boot_clock()).ok());
  wait_for([&] { return polls >= 4; });
  thread.ask_to_end();
  EXPECT_TRUE(thread.join(boot_clock().now() + kHour));  // Also where the last one throws.
}

TEST(SamplingThread, AMarkIsNotLostByAPollThatThrows) {
  std::atomic<int> marks = 0;
  std::atomic<bool> is_first = true;
  SamplingThread thread([&](bool is_mark) -> Nanos {
    if (is_mark && is_first.exchange(false)) throw std::bad_alloc();
    marks += is_mark;
    return boot_clock().now() + kHour;
  });
  ASSERT_TRUE(thread.start(boot_clock()).ok());
  thread.ring();
  wait_for([&] { return marks >= 1; });
}

TEST(SamplingThread, NoSignalReachesIt) {
  std::atomic<int> blocked = -1;
  SamplingThread thread([&](bool) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
    return boot_clock().now() + kHour;
  });
  ASSERT_TRUE(thread.start(boot_clock()).ok());
  wait_for([&] { return blocked >= 0; });
  EXPECT_EQ(blocked, 1);
}

}  // namespace
}  // namespace wattree
