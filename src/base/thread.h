// Background threads that no signal reaches.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "src/base/result.h"

namespace wattree {

// Starts a thread that gets no signals: see signals_blocked.h. `owner` says whose it is ("the log")
// where the system has none to give: that is kUnavailable. An exception that leaves `work` ends the
// program, so that work which may throw goes through attempt().
Result<std::jthread> start_thread(const std::string& owner, std::function<void()> work);

// Does one step of a thread's work. An exception, as for want of memory, ends the step alone, and
// false is returned.
template <class Step>
bool attempt(const Step& step) {
  try {
    step();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace wattree
