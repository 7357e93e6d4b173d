#include "src/runs/track/followed_run.h"

#include <iterator>
#include <utility>

namespace wattree {

void FollowedRun::publish() {
  {
    const std::lock_guard lock(queue_mutex_);
    std::move(taken_.begin(), taken_.end(), std::back_inserter(queue_));
  }
  taken_.clear();
  // Whoever looks now catches up before the next look, or the next event does.
  const std::unique_lock lock(run_mutex_, std::try_to_lock);
  if (lock) catch_up();
}

bool FollowedRun::look(const std::function<void(const TrackedRun&)>& show) const {
  const std::lock_guard lock(run_mutex_);
  catch_up();
  if (run_) show(*run_);
  return run_.has_value();
}

void FollowedRun::catch_up() const {
  std::vector<Record> records;
  {
    const std::lock_guard lock(queue_mutex_);
    records.swap(queue_);
  }
  for (const Record& record : records) {
    if (run_) {
      run_->apply(record);
    } else if (const auto* begun = std::get_if<RunBegun>(&record)) {
      run_.emplace(*begun);
    }
  }
}

}  // namespace wattree
