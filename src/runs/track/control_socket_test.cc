#include "src/runs/track/control_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

// A tracker's loop.
class Served {
 public:
  explicit Served(const std::filesystem::path& folder)
      : socket_(ControlSocket::create(folder).value()), loop_([this] { serve(); }) {}
  ~Served() {
    is_over_ = true;
    loop_.join();
  }

 private:
  void serve() {
    PauseState state = PauseState::kNone;
    while (!is_over_) {
      pollfd ready{socket_.descriptor(), POLLIN, 0};
      ::poll(&ready, 1, 20);
      socket_.receive([&](ControlRequest request) {
        if (request == ControlRequest::kPause) state = PauseState::kAsked;
        if (request == ControlRequest::kResume) state = PauseState::kNone;
        return ControlAnswer{state, Seconds(12.5), 3};
      });
    }
  }
  ControlSocket socket_;
  std::atomic<bool> is_over_ = false;
  std::thread loop_;
};

TEST(ControlSocket, PausesResumesAndTells) {
  const TestFolder folder;
  const std::filesystem::path path = control_path(folder.path(), ::getpid());
  {
    const Served served(folder.path());
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    EXPECT_EQ(ask_tracker(path, ControlRequest::kPause).value().pause, PauseState::kAsked);
    const ControlAnswer status = ask_tracker(path, ControlRequest::kStatus).value();
    EXPECT_EQ(status.pause, PauseState::kAsked);
    EXPECT_EQ(status.elapsed, Seconds(12.5));
    EXPECT_EQ(status.epochs_ended, 3);
    EXPECT_EQ(ask_tracker(path, ControlRequest::kResume).value().pause, PauseState::kNone);
  }
  const Result<ControlAnswer> gone = ask_tracker(path, ControlRequest::kStatus);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(ask_tracker("", ControlRequest::kStatus).ok());
}

// Even where the folder and the file would let them in: the kernel says who asks.
TEST(ControlSocket, RefusesOtherUsers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can ask as another user";
  const TestFolder folder;
  const Served served(folder.path());
  const std::filesystem::path path = control_path(folder.path(), ::getpid());
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(2);
    const Result<ControlAnswer> answer = ask_tracker(path, ControlRequest::kPause);
    ::_exit(answer.ok() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace wattree
