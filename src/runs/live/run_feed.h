// A run's events as text, rendered once for all who read them.
//
// Events: `epoch` for each epoch, `status` for what has changed, and last `ended`. An event's id
// begins with the number of epochs that a reader has once it has got it, so that it holds for
// another server, too, and after a restart.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/runs/track/status.h"

namespace wattree {

using SharedText = std::shared_ptr<const std::string>;

// "id: 7\nevent: epoch\ndata: {…}\n\n"; without the first line where the id is empty.
std::string event_text(std::string_view id, std::string_view name, std::string_view data);

// Where a reader is.
struct FeedPlace {
  std::size_t epochs = 0;   // So many it has.
  std::uint64_t batch = 0;  // The next one of those that all get; 0: it has to catch up.
  bool has_begun = false;
  bool is_over = false;
};
// After the event of that id; the beginning where it is empty or no id of ours.
FeedPlace feed_place(std::string_view last_event_id);

// Not for two threads at once: the run's own lock is held.
class RunFeed {
 public:
  // What has happened since the last time. `records`: of the run so far.
  void publish(const TrackedRun& run, const RunStatus& status, std::uint64_t records);
  // What comes next there, in bounded pieces; null where there is nothing now. Whoever is far
  // behind gets the current status, the epochs in blocks, and then what all get.
  SharedText next(FeedPlace& place, const TrackedRun& run);
  // The run was begun anew.
  void clear();

 private:
  struct Batch {
    SharedText text;
    std::size_t epochs = 0;  // Up to there.
    bool is_last = false;
  };
  SharedText block(const TrackedRun& run, std::size_t begin, std::size_t end);

  std::deque<Batch> batches_;
  std::uint64_t first_ = 1;  // The number of the first batch,
  std::size_t epochs_ = 0;   // and epochs that were told.
  SharedText status_;        // The latest status as an event,
  SharedText greeting_;      // and without an id: it does not say how far a reader is.
  bool is_over_ = false;
  std::list<std::pair<std::pair<std::size_t, std::size_t>, SharedText>> blocks_;  // Latest first.
};

}  // namespace wattree
