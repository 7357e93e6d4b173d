#include "src/runs/track/child.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>

#include "src/measure/meter/proc.h"
#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

// What execvpe() takes.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

ChildStart start_child(const ChildOptions& options, const SignalWatch& signals) {
  ChildStart out;
  const auto fail = [&](int number) {
    out.process = -1;
    out.exit_code = number == ENOENT ? kNotFound : kNotExecutable;
    out.error = "cannot run " + options.command.front() + ": " + ::strerror(number);
    return out;
  };
  // Everything that allocates comes before the fork.
  const std::vector<char*> arguments = pointers(options.command);
  const std::vector<char*> environment = pointers(options.environment);
  // The kernel closes it when the command starts; otherwise the error comes through.
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return fail(errno);
  out.process = ::fork();
  if (out.process == 0) {
    if (options.out >= 0) ::dup2(options.out, STDOUT_FILENO);
    if (options.err >= 0) ::dup2(options.err, STDERR_FILENO);
    signals.restore_in_child();
    ::execvpe(arguments[0], arguments.data(), environment.data());
    const int number = errno;
    [[maybe_unused]] const ssize_t put = ::write(report[1], &number, sizeof number);
    ::_exit(kNotFound);
  }
  const int fork_number = errno;
  ::close(report[1]);
  if (out.process < 0) {
    ::close(report[0]);
    return fail(fork_number);
  }
  int number = 0;
  ssize_t got = 0;
  do {
    got = ::read(report[0], &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  ::close(report[0]);
  if (got == static_cast<ssize_t>(sizeof number)) {
    ::waitpid(out.process, nullptr, 0);
    return fail(number);
  }
  return out;
}

std::optional<int> poll_child(pid_t process) {
  int status = 0;
  const pid_t got = ::waitpid(process, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  if (got < 0) return 0;  // Somebody else has waited for it; what it said is not known.
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

Result<int> watch_process(pid_t process) {
  const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (descriptor >= 0) return descriptor;
  const std::string name = "process " + std::to_string(process);
  if (errno == ESRCH || errno == EINVAL) {
    return Error{ErrorCode::kNotFound, "there is no " + name, "`ps` lists processes"};
  }
  return Error{ErrorCode::kUnavailable, "cannot follow " + name + ": " + ::strerror(errno),
               "following a process needs Linux 5.3 or newer"};
}

std::vector<pid_t> process_tree(pid_t root, const std::filesystem::path& proc_root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(proc_root, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    if (const auto times = parse_process_times(read_small(entry->path() / "stat"))) {
      children.emplace(static_cast<pid_t>(times->parent), process);
    }
  }
  std::vector<pid_t> out{root};
  std::set<pid_t> known{root};  // A process may be read while it is given another parent.
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto [begin, end] = children.equal_range(out[i]);
    for (auto child = begin; child != end; ++child) {
      if (known.insert(child->second).second) out.push_back(child->second);
    }
  }
  return out;
}

void signal_tree(pid_t root, int number, const std::filesystem::path& proc_root) {
  std::set<pid_t> done;
  constexpr int kMostRounds = 10;
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_new = false;
    for (const pid_t process : process_tree(root, proc_root)) {
      if (!done.insert(process).second) continue;
      ::kill(process, number);
      is_new = true;
    }
    if (!is_new) return;
  }
}

std::string command_text(const std::vector<std::string>& command) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%^";
  std::string out;
  for (const std::string& word : command) {
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace wattree
