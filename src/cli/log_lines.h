// A log that never makes its writers wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "src/base/result.h"

namespace wattree {

// Lines are written by a thread of its own. Where a disk or a pipe does not keep up, lines are left
// out, and the log says how many.
class LogLines {
 public:
  // "-": standard error.
  static Result<std::unique_ptr<LogLines>> open(const std::string& file);
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;
  ~LogLines();  // Writes what is there.

  // From any thread.
  void add(std::string_view line);

 private:
  LogLines(int descriptor, bool is_own) : descriptor_(descriptor), is_own_(is_own) {}
  void run();

  int descriptor_;
  bool is_own_;
  std::mutex mutex_;
  std::condition_variable has_more_;
  std::string pending_;
  std::uint64_t left_out_ = 0;
  bool is_ending_ = false;
  std::jthread thread_;
};

}  // namespace wattree
