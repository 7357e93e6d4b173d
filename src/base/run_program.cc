#include "src/base/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

namespace wattree {
namespace {

constexpr int kLookEveryMs = 100;  // Whether it is to stop,
constexpr int kEndsSoonMs = 2;     // and whether it has ended.

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  // Both closed where the system has no more.
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
};

// 0, or the number of the error.
int spawn(const std::vector<std::string>& command, const Pipe& out, const Pipe& err, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& text : command) arguments.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write.number(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write.number(), STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int failure =
      ::posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// Closes the pipe at its end.
void take(Descriptor& from, std::string& into) {
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(from.number(), buffer.data(), buffer.size());
  if (got > 0) {
    into.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    from.close();
  }
}

// Nothing: it still runs.
std::optional<int> exit_code_of(pid_t child, int options) {
  int status = 0;
  const pid_t got = ::waitpid(child, &status, options);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  if (got < 0) return 0;  // Somebody else has waited for it; what it said is not known.
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ProgramEnd> run_program(const std::vector<std::string>& command, Seconds limit,
                               const std::function<bool()>& is_stopped) {
  const auto failed = [&](const std::string& why) {
    return Error{ErrorCode::kUnavailable, command.front() + ": " + why, ""};
  };
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limit.value);
  Pipe out;
  Pipe err;
  if (!out.write.is_open() || !err.write.is_open()) return failed("no pipe to it can be made");
  pid_t child = 0;
  if (const int number = spawn(command, out, err, child); number != 0) {
    return failed(::strerror(number));
  }
  out.write.close();
  err.write.close();
  ProgramEnd result;
  for (;;) {
    const bool is_silent = !out.read.is_open() && !err.read.is_open();
    if (const auto code = is_silent ? exit_code_of(child, WNOHANG) : std::nullopt) {
      result.exit_code = *code;
      return result;
    }
    if (is_stopped() || Clock::now() > end) {
      ::kill(child, SIGKILL);
      while (!exit_code_of(child, 0)) {
      }
      return failed(is_stopped() ? "interrupted" : "it took too long");
    }
    // A closed one has the number -1, which poll() passes over.
    std::array<pollfd, 2> ready{pollfd{out.read.number(), POLLIN, 0},
                                pollfd{err.read.number(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), is_silent ? kEndsSoonMs : kLookEveryMs) <= 0) continue;
    if (ready[0].revents != 0) take(out.read, result.out);
    if (ready[1].revents != 0) take(err.read, result.err);
  }
}

}  // namespace wattree
