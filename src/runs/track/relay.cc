#include "src/runs/track/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "src/base/file_error.h"

namespace wattree {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
// Bytes that are shared instead of copied: what Python and most others write at a time when their
// output is no terminal.
constexpr int kMuch = 1 << 13;
// Of a pipe, where the system allows it: fewer turns between the command and the relay.
constexpr int kPipeSize = 1 << 20;

// A way from the command to the tracker's own stream.
struct Way {
  int command = -1;  // The command's end.
  int ours = -1;
  bool is_terminal = false;
};

void close_way(const Way& way) {
  if (way.command >= 0) ::close(way.command);
  if (way.ours >= 0) ::close(way.ours);
}

// A pseudo-terminal that passes on what is written to it as it is: the real one adds the carriage
// returns.
bool open_terminal(int real, Way& way) {
  way.ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (way.ours < 0 || ::grantpt(way.ours) != 0 || ::unlockpt(way.ours) != 0) return false;
  char name[128];
  if (::ptsname_r(way.ours, name, sizeof name) != 0) return false;
  way.command = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (way.command < 0) return false;
  termios settings{};
  if (::tcgetattr(real, &settings) == 0) {
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(way.command, TCSANOW, &settings);
  }
  winsize size{};
  if (::ioctl(real, TIOCGWINSZ, &size) == 0) ::ioctl(way.command, TIOCSWINSZ, &size);
  way.is_terminal = true;
  return true;
}

bool open_way(int real, Way& way) {
  if (::isatty(real) == 1 && open_terminal(real, way)) return true;
  close_way(way);
  way = {};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  ::fcntl(ends[0], F_SETPIPE_SZ, kPipeSize);
  way.ours = ends[0];
  way.command = ends[1];
  return true;
}

bool is_same_file(int a, int b) {
  struct stat first {
  }, second{};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// A signal handler reaches nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
volatile sig_atomic_t size_has_changed = 0;
void note_size(int) { size_has_changed = 1; }

void wait_until(int descriptor, short event) {
  pollfd ready{descriptor, event, 0};
  ::poll(&ready, 1, -1);
}

bool write_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t put = ::write(to, bytes, size);
    if (put >= 0) {
      bytes += put;
      size -= static_cast<std::size_t>(put);
    } else if (errno == EAGAIN) {
      wait_until(to, POLLOUT);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Whether there is enough to share. A shared piece takes a place of its own in the reader's pipe,
// which has sixteen, even if it is one short line: with a reader that pauses, the next line would
// wait. What is copied is put together there.
bool holds_much(int from) {
  int bytes = 0;
  return ::ioctl(from, FIONREAD, &bytes) == 0 && bytes >= kMuch;
}

struct Shared {
  bool is_possible = true;
  bool is_over = false;   // Nothing more comes, or nobody reads any more.
  std::size_t bytes = 0;  // Passed on, and still to be read here.
};

// From one pipe to another without a copy: both hold the same pages. What was passed on is then
// still in the first one, to be looked at.
Shared share(int from, int to) {
  while (true) {
    const ssize_t got = ::tee(from, to, kPiece, 0);
    if (got > 0) return {true, false, static_cast<std::size_t>(got)};
    if (got == 0 || errno == EPIPE) return {true, true, 0};
    if (errno == EAGAIN) {
      wait_until(from, POLLIN);
      wait_until(to, POLLOUT);
    } else if (errno != EINTR) {
      return {false, false, 0};  // Not two pipes.
    }
  }
}

[[noreturn]] void pass_on(const Way& way, int to, LineMatcher matcher, int lines,
                          std::atomic<std::uint64_t>& missed, const Clock& clock) {
  // It ends when the command's output does, and not before: who is signalled is the command.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE}) {
    ::signal(number, SIG_IGN);
  }
  if (way.is_terminal) {
    struct sigaction action {};
    action.sa_handler = note_size;
    ::sigaction(SIGWINCH, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  Nanos came_at = clock.now();
  const auto found = [&](std::string_view name) {
    EpochLine line;
    line.at = came_at;
    name.copy(line.name, sizeof line.name - 1);
    // The tracker may be gone or behind; neither is the command's business.
    if (::write(lines, &line, sizeof line) < 0) missed.fetch_add(1, std::memory_order_relaxed);
  };
  static char buffer[kPiece];
  bool can_share = !way.is_terminal;
  while (true) {
    if (size_has_changed != 0) {
      size_has_changed = 0;
      winsize size{};
      if (::ioctl(to, TIOCGWINSZ, &size) == 0) ::ioctl(way.ours, TIOCSWINSZ, &size);
    }
    if (can_share && holds_much(way.ours)) {
      std::size_t size = 0;
      const Shared shared = share(way.ours, to);
      if (shared.is_over) break;
      can_share = shared.is_possible;
      // What was passed on is to be taken out whole, or it would be passed on again.
      while (size < shared.bytes) {
        const ssize_t got = ::read(way.ours, buffer + size, shared.bytes - size);
        if (got > 0) size += static_cast<std::size_t>(got);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) break;
      }
      if (size < shared.bytes) break;
      came_at = clock.now();
      if (size > 0) {
        matcher.feed({buffer, size}, found);
        continue;
      }
    }
    const ssize_t got = ::read(way.ours, buffer, kPiece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // A pseudo-terminal whose command is gone answers EIO.
    // When it came: passing it on takes as long as the reader likes, and matching must not keep the
    // reader waiting.
    came_at = clock.now();
    const bool is_read = write_all(to, buffer, static_cast<std::size_t>(got));
    matcher.feed({buffer, static_cast<std::size_t>(got)}, found);
    // Nobody reads any more: close our end, so that the command learns it the way it would have.
    if (!is_read) break;
  }
  matcher.finish(found);
  ::_exit(0);
}

}  // namespace

Result<OutputRelay> OutputRelay::start(const LineMatcher& matcher, int out, int err,
                                       const Clock& clock) {
  OutputRelay relay;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return file_error("open", "a pipe", errno);
  ::fcntl(ends[0], F_SETPIPE_SZ, kPipeSize);  // Room for thousands of lines.
  relay.lines_ = ends[0];
  void* shared = ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    const int number = errno;
    ::close(ends[1]);
    return file_error("share", "memory", number);
  }
  relay.missed_ = new (shared) std::atomic<std::uint64_t>(0);
  const bool is_shared = is_same_file(out, err);
  Way ways[2];
  const int count = is_shared ? 1 : 2;
  const int reals[2] = {out, err};
  Status failure;
  for (int i = 0; i < count && failure.ok(); ++i) {
    if (!open_way(reals[i], ways[i])) failure = file_error("open", "a pipe", errno);
  }
  for (int i = 0; i < count && failure.ok(); ++i) {
    const pid_t process = ::fork();
    if (process == 0) {
      // Each holds only its own way, or the other would never end.
      for (int k = 0; k < count; ++k) {
        ::close(ways[k].command);
        if (k != i) ::close(ways[k].ours);
      }
      ::close(ends[0]);
      pass_on(ways[i], reals[i], matcher, ends[1], *relay.missed_, clock);
    }
    if (process < 0) {
      failure = Error{ErrorCode::kUnavailable,
                      std::string("cannot start a process: ") + ::strerror(errno), ""};
    } else {
      relay.processes_.push_back(process);
    }
  }
  ::close(ends[1]);
  for (int i = 0; i < count; ++i) {
    if (ways[i].ours >= 0) ::close(ways[i].ours);
  }
  relay.command_out_ = ways[0].command;
  relay.command_err_ = is_shared ? ::fcntl(ways[0].command, F_DUPFD_CLOEXEC, 3) : ways[1].command;
  if (!failure.ok()) return failure.error();
  return relay;
}

OutputRelay::OutputRelay(OutputRelay&& other) noexcept
    : command_out_(other.command_out_),
      command_err_(other.command_err_),
      lines_(other.lines_),
      missed_(std::exchange(other.missed_, nullptr)),
      processes_(std::move(other.processes_)) {
  other.command_out_ = other.command_err_ = other.lines_ = -1;
}

OutputRelay::~OutputRelay() {
  close_command_ends();
  if (lines_ >= 0) ::close(lines_);
  if (missed_ != nullptr) ::munmap(missed_, sizeof *missed_);
}

void OutputRelay::close_command_ends() {
  if (command_out_ >= 0) ::close(command_out_);
  if (command_err_ >= 0) ::close(command_err_);
  command_out_ = command_err_ = -1;
}

std::optional<EpochLine> OutputRelay::next_line() const {
  EpochLine line;
  // Lines are shorter than PIPE_BUF: each comes whole or not at all.
  if (::read(lines_, &line, sizeof line) != static_cast<ssize_t>(sizeof line)) return std::nullopt;
  line.name[sizeof line.name - 1] = '\0';
  return line;
}

std::uint64_t OutputRelay::missed() const { return missed_->load(std::memory_order_relaxed); }

bool OutputRelay::wait(Nanos patience) const {
  const Clock clock = boot_clock();
  const Nanos until = clock.now() + patience;
  for (const pid_t process : processes_) {
    while (::waitpid(process, nullptr, WNOHANG) == 0) {
      if (clock.now() >= until) return false;
      constexpr timespec kAMoment{0, 2'000'000};
      ::nanosleep(&kAMoment, nullptr);
    }
  }
  return true;
}

}  // namespace wattree
