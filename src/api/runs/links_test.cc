#include "src/api/runs/links.h"

#include <gtest/gtest.h>

#include <new>

#include "src/base/test_folder.h"
#include "tests/support/no_threads.h"

namespace wattree {
namespace {

class LinksTest : public ::testing::Test {
 protected:
  TestFolder folder_;
  std::unique_ptr<LiveRuns> live_ =
      LiveRuns::start({folder_.path() / "runs", folder_.path() / "journals"}).value();
};

TEST_F(LinksTest, AreListedWhereTheStoreThrows) {
  const auto links = Links::start(
      *live_, [](StoreAccess) -> Result<std::shared_ptr<ProfileStore>> { throw std::bad_alloc(); });
  ASSERT_TRUE(links.ok());
  EXPECT_TRUE(links.value()->list().empty());
}

TEST_F(LinksTest, WithoutAThreadIsAnError) {
  const NoThreads none;
  const auto links = Links::start(*live_, [](StoreAccess) -> Result<std::shared_ptr<ProfileStore>> {
    return Error{ErrorCode::kUnavailable, "", ""};
  });
  ASSERT_FALSE(links.ok());
  EXPECT_EQ(links.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace wattree
