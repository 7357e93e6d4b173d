#include "src/server/beast/peer_user.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "src/server/beast/listening_socket.h"
#include "src/server/beast/test_client.h"

namespace wattree {
namespace {

constexpr uid_t kNobody = 65534;

int accepted_by(const ListeningSocket& socket) {
  for (int i = 0; i < 1000; ++i) {
    const AcceptedSocket found = socket.accept();
    if (found.descriptor >= 0) return found.descriptor;
    ::usleep(1000);
  }
  return -1;
}

class PeerUser : public testing::TestWithParam<const char*> {
 protected:
  Result<ListeningSocket> socket_ = ListeningSocket::open({GetParam(), 0});
};

TEST_P(PeerUser, IsTheOneOfTheSocket) {
  if (!socket_.ok()) GTEST_SKIP() << socket_.error().message;
  TestClient client(socket_.value().url());
  const int end = accepted_by(socket_.value());
  EXPECT_EQ(peer_user(end), ::geteuid());
  EXPECT_TRUE(is_own_user(end));
  client.end_sending();
  EXPECT_TRUE(is_own_user(end)) << "it may still read";
  client.close();
  EXPECT_FALSE(is_own_user(end)) << "the kernel says 0, which is root's";
  ::close(end);
}

TEST_P(PeerUser, TellsAnotherUser) {
  if (!socket_.ok()) GTEST_SKIP() << socket_.error().message;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  int over[2];
  ASSERT_EQ(::pipe(over), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kNobody) != 0) ::_exit(1);
    const TestClient client(socket_.value().url());
    char ignored = 0;
    ::close(over[1]);
    (void)!::read(over[0], &ignored, 1);
    ::_exit(0);
  }
  ::close(over[0]);
  const int end = accepted_by(socket_.value());
  EXPECT_EQ(peer_user(end), kNobody);
  EXPECT_FALSE(is_own_user(end));
  ::close(over[1]);
  ::waitpid(child, nullptr, 0);
  ::close(end);
}

INSTANTIATE_TEST_SUITE_P(Loopback, PeerUser, testing::Values("127.0.0.1", "::1"));

}  // namespace
}  // namespace wattree
