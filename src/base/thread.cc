#include "src/base/thread.h"

#include <exception>
#include <utility>

#include "src/base/signals_blocked.h"

namespace wattree {

Result<std::jthread> start_thread(const std::string& owner, std::function<void()> work) {
  const SignalsBlocked blocked;  // A thread begins with the mask of the one that starts it.
  try {
    return std::jthread(std::move(work));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kUnavailable, owner + "'s thread cannot start: " + error.what(),
                 "end other programs, or raise the limit on processes (ulimit -u, or TasksMax of a "
                 "systemd unit)"};
  }
}

}  // namespace wattree
