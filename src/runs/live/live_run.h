// One run of this machine that many threads may look at while it goes on.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/runs/live/journal_follower.h"
#include "src/runs/live/power_trace.h"
#include "src/runs/live/run_brief.h"
#include "src/runs/live/run_feed.h"
#include "src/runs/live/run_registry.h"
#include "src/runs/track/control_socket.h"
#include "src/runs/track/run.h"

namespace wattree {

class LiveRun {
 public:
  explicit LiveRun(RunEntry entry);

  const std::string& id() const { return id_; }
  const std::string& link() const { return link_; }  // Empty: it is of this machine.
  RunEntry entry() const;
  void set_entry(RunEntry entry);  // It has changed: the run has ended.

  // By the one thread that follows runs.
  // Reads on in its journal, or takes what was handed over, and tells its readers.
  void follow();
  // Looks whether its tracker is still there, and tells its readers where it is not. Of a run that
  // is over and that nobody reads, only the brief stays.
  void look_after(std::int64_t now);
  // Nothing more will come of it.
  bool is_over() const;

  // A run without a journal here (of this very process, or of another machine): its records, from
  // any thread, which never waits, and what they do not say.
  void hand_over(const Record& record);
  void set_outside(std::optional<RunState> state, const std::string& reason);
  // How it is paused, where not through its socket.
  using Pauser = std::function<Result<ControlAnswer>(bool is_paused)>;
  void set_pauser(Pauser pauser);
  Result<ControlAnswer> set_paused(bool is_paused) const;

  // For any thread.
  RunBrief brief(std::size_t points) const;
  // Shows the run; false where it is not here: it has not begun, or is over and only its brief is
  // kept.
  bool look(const std::function<void(const TrackedRun&, const PowerTrace&)>& show) const;
  // The bytes of its journal from there on; empty where there are none.
  std::string journal_bytes(std::uint64_t from, std::size_t most) const;

  SharedText next(FeedPlace& place) const;
  // `wake` is called from any thread when there is more. The number is for unsubscribe(), after
  // which it is not called again.
  int subscribe(std::function<void()> wake);
  void unsubscribe(int number);

 private:
  struct Followed {
    TrackedRun run;
    PowerTrace trace;
    std::uint64_t records = 1;
  };
  void take(const Record& record);
  RunBrief brief_now(std::size_t points) const;
  std::optional<RunState> linked_state(std::int64_t now);
  std::optional<RunState> state_here(std::int64_t now);
  void tell();
  void forget(std::int64_t now);

  const std::string id_, link_;
  mutable std::mutex mutex_;
  RunEntry entry_;
  JournalFollower follower_;
  std::optional<Followed> followed_;
  mutable RunFeed feed_;
  std::optional<RunState> outside_;  // Stale or lost: what its records cannot say.
  std::string outside_reason_;
  bool is_cut_off_ = false;                  // Its tracker does not answer.
  std::atomic<std::int64_t> handed_at_ = 0;  // When it was handed something, since 1970.
  std::optional<RunState> told_;
  std::optional<std::int64_t> over_since_;
  Pauser pauser_;

  std::mutex queue_mutex_;
  std::vector<Record> queue_;
  std::atomic<bool> is_own_ = false;

  mutable std::mutex wake_mutex_;
  std::map<int, std::function<void()>> wakes_;
  int next_number_ = 1;
};

// Of one reader of a run's events, until it is destroyed.
class RunReader {
 public:
  RunReader(std::shared_ptr<LiveRun> run, std::string_view last_event_id)
      : run_(std::move(run)), place_(feed_place(last_event_id)) {}
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  ~RunReader() { stop(); }

  SharedText next() { return run_->next(place_); }
  bool is_over() const { return place_.is_over; }
  void on_more(std::function<void()> wake) {
    stop();
    number_ = run_->subscribe(std::move(wake));
  }

 private:
  void stop() {
    if (number_ != 0) run_->unsubscribe(std::exchange(number_, 0));
  }

  std::shared_ptr<LiveRun> run_;
  FeedPlace place_;
  int number_ = 0;
};

}  // namespace wattree
