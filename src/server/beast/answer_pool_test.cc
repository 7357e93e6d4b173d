#include "src/server/beast/answer_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace wattree {
namespace {

TEST(AnswerPool, WorkThatThrowsEndsNeitherTheThreadNorTheProgram) {
  std::atomic<std::uint64_t> waiting = 0;
  AnswerPool pool(10, waiting);
  ASSERT_TRUE(pool.start(1).ok());
  ASSERT_TRUE(pool.submit([] { throw std::runtime_error("no"); }));
  std::promise<void> done;
  ASSERT_TRUE(pool.submit([&] { done.set_value(); }));
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(AnswerPool, TakesNoMoreThanMayWaitAndNothingOnceStopped) {
  std::atomic<std::uint64_t> waiting = 0;
  AnswerPool pool(2, waiting);  // Without a thread: all of it waits.
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_FALSE(pool.submit([] {}));
  EXPECT_EQ(waiting, 2U);
  pool.stop();
  EXPECT_EQ(waiting, 0U);
  EXPECT_FALSE(pool.submit([] {}));
}

}  // namespace
}  // namespace wattree
