#include "src/base/thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <new>
#include <stdexcept>

#include "tests/support/no_threads.h"

namespace wattree {
namespace {

TEST(Thread, GetsNoSignals) {
  sigset_t seen;
  sigemptyset(&seen);
  {
    const Result<std::jthread> thread =
        start_thread("the test", [&seen] { ::pthread_sigmask(SIG_BLOCK, nullptr, &seen); });
    ASSERT_TRUE(thread.ok());
  }
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD}) {
    EXPECT_EQ(sigismember(&seen, number), 1) << number;
  }
  sigset_t own;
  sigemptyset(&own);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGTERM), 0);
}

TEST(Thread, ThatCannotStartIsAnError) {
  const NoThreads none;
  const Result<std::jthread> thread = start_thread("the test", [] {});
  ASSERT_FALSE(thread.ok());
  EXPECT_EQ(thread.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(thread.error().message.starts_with("the test's thread cannot start: "))
      << thread.error().message;
  EXPECT_NE(thread.error().hint.find("ulimit -u"), std::string::npos);
}

TEST(Thread, AStepThatThrowsEndsAlone) {
  EXPECT_TRUE(attempt([] {}));
  EXPECT_FALSE(attempt([] { throw std::bad_alloc(); }));
  EXPECT_FALSE(attempt([] { throw std::runtime_error("no"); }));
}

}  // namespace
}  // namespace wattree
