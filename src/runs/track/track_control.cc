#include "src/runs/track/track_control.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace wattree {

TrackControl::TrackControl() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

TrackControl::~TrackControl() {
  if (wake_ >= 0) ::close(wake_);
}

Status TrackControl::may_pause() const {
  if (may_pause_.load()) return {};
  return Error{ErrorCode::kUnavailable,
               "this run cannot be paused: its process was not started by the tracker",
               "start it with `wattree track`"};
}

void TrackControl::set_paused(bool is_paused) {
  is_paused_.store(is_paused);
  const std::uint64_t ring = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake_, &ring, sizeof ring);
}

}  // namespace wattree
