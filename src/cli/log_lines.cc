#include "src/cli/log_lines.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "src/base/in_quotes.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

constexpr std::size_t kMostPending = std::size_t{4} << 20;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return;  // A full disk must not end the server.
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

Result<std::unique_ptr<LogLines>> LogLines::open(const std::string& file) {
  const bool is_own = file != "-";
  int descriptor = STDERR_FILENO;
  if (is_own) {
    descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0) {
      return Error{ErrorCode::kUnavailable,
                   "cannot write the log " + in_quotes(file) + ": " + ::strerror(errno), "", "log"};
    }
  }
  std::unique_ptr<LogLines> out(new LogLines(descriptor, is_own));
  Result<std::jthread> thread = start_thread("the log", [log = out.get()] { log->run(); });
  if (!thread.ok()) return thread.error();
  out->thread_ = std::move(thread).value();
  return out;
}

LogLines::~LogLines() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_more_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (is_own_) ::close(descriptor_);
}

void LogLines::add(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.size() + line.size() >= kMostPending) {
      ++left_out_;
      return;
    }
    pending_ += line;
    pending_ += '\n';
  }
  has_more_.notify_one();
}

void LogLines::run() {
  while (true) {
    std::string text;
    std::uint64_t lost = 0;
    {
      std::unique_lock lock(mutex_);
      has_more_.wait(lock, [this] { return is_ending_ || !pending_.empty(); });
      if (pending_.empty()) return;
      text.swap(pending_);
      lost = std::exchange(left_out_, 0);
    }
    write_all(descriptor_, text);
    if (lost == 0) continue;
    attempt([&] { write_all(descriptor_, "{\"lines_left_out\":" + std::to_string(lost) + "}\n"); });
  }
}

}  // namespace wattree
