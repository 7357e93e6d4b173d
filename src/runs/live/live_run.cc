#include "src/runs/live/live_run.h"

#include <chrono>
#include <utility>

#include "src/base/amounts.h"
#include "src/runs/live/run_json.h"

namespace wattree {
namespace {

// Totals come every second.
constexpr std::int64_t kStaleAfter = 3;
constexpr std::int64_t kLinkedStaleAfter = 6;  // They are asked, and come a little later.
constexpr std::int64_t kForgottenAfter = 60;
constexpr std::size_t kKeptPoints = 120;

constexpr char kSilent[] = "its tracker says nothing";

std::int64_t now_in_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

std::string recover_text(const RunEntry& entry, const RunBrief& brief) {
  if (!entry.profile.empty()) return "its tracker was killed; its profile was recovered";
  std::string out = "its tracker was killed " + to_text(brief.status.elapsed) +
                    " after the beginning; `wattree profiles recover` makes a profile of ";
  if (brief.status.epochs_ended > 0) {
    out += std::to_string(brief.status.epochs_ended) + " epochs";
    if (brief.status.device_energy) out += " and ";
  }
  if (brief.status.device_energy) out += to_text(*brief.status.device_energy);
  if (brief.status.epochs_ended == 0 && !brief.status.device_energy) out += "its time";
  return out;
}

}  // namespace

LiveRun::LiveRun(RunEntry entry)
    : id_(entry.id), link_(entry.link), entry_(std::move(entry)), follower_(entry_.journal) {}

RunEntry LiveRun::entry() const {
  const std::lock_guard lock(mutex_);
  return entry_;
}

void LiveRun::set_entry(RunEntry entry) {
  const std::lock_guard lock(mutex_);
  entry_ = std::move(entry);
}

// --- following ---

void LiveRun::hand_over(const Record& record) {
  is_own_ = true;
  handed_at_ = now_in_seconds();
  const std::lock_guard lock(queue_mutex_);
  queue_.push_back(record);
}

void LiveRun::set_outside(std::optional<RunState> state, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    is_cut_off_ = state.has_value();
    // What is not cut off may be silent all the same.
    if (!is_cut_off_ && outside_ == RunState::kStale) return;
    outside_ = state;
    outside_reason_ = reason;
    if (!followed_ || told_ == brief_now(2).status.state) return;
  }
  tell();
}

void LiveRun::set_pauser(Pauser pauser) {
  const std::lock_guard lock(mutex_);
  pauser_ = std::move(pauser);
}

Result<ControlAnswer> LiveRun::set_paused(bool is_paused) const {
  Pauser pauser;
  std::filesystem::path socket;
  {
    const std::lock_guard lock(mutex_);
    pauser = pauser_;
    socket = entry_.socket;
  }
  // Without the lock: the tracker may take its time.
  if (pauser) return pauser(is_paused);
  return ask_tracker(socket, is_paused ? ControlRequest::kPause : ControlRequest::kResume);
}

void LiveRun::take(const Record& record) {
  if (followed_) {
    followed_->run.apply(record);
    ++followed_->records;
    if (const auto* totals = std::get_if<Totals>(&record)) followed_->trace.add(*totals);
  } else if (const auto* begun = std::get_if<RunBegun>(&record)) {
    followed_.emplace(Followed{TrackedRun(*begun), PowerTrace(begun->at), 1});
  }
}

void LiveRun::follow() {
  std::vector<Record> records;
  {
    const std::lock_guard lock(queue_mutex_);
    records.swap(queue_);
  }
  bool has_more = true;
  {
    const std::lock_guard lock(mutex_);
    if (entry_.brief && !followed_) return;
  }
  while (has_more) {
    bool has_news = !records.empty();
    {
      const std::lock_guard lock(mutex_);
      for (const Record& record : records) take(record);
      records.clear();
      has_more = false;
      if (!is_own_) {
        using Found = JournalFollower::Found;
        const Found found = follower_.read([this](const Record& record) { take(record); });
        if (found == Found::kAnother) {
          followed_.reset();
          feed_.clear();
        }
        has_news = found == Found::kRecords || found == Found::kMore;
        has_more = found == Found::kMore || found == Found::kAnother;
      }
      if (has_news) outside_.reset();
    }
    if (has_news) tell();
  }
}

void LiveRun::look_after(std::int64_t now) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_linked = is_own_ && !link_.empty();
    if ((is_own_ && !is_linked) || (!followed_ && entry_.brief)) return;
    const bool has_ended = followed_ && followed_->run.ended();
    if (has_ended || outside_ == RunState::kLost) return forget(now);
    outside_ = is_linked ? linked_state(now) : state_here(now);
    if (told_ == brief_now(2).status.state) return;
  }
  tell();
}

// Of a run on another machine, which is asked once a second.
std::optional<RunState> LiveRun::linked_state(std::int64_t now) {
  if (is_cut_off_) return RunState::kStale;
  if (now - handed_at_ <= kLinkedStaleAfter) return std::nullopt;
  outside_reason_ = kSilent;
  return RunState::kStale;
}

std::optional<RunState> LiveRun::state_here(std::int64_t now) {
  // A tracker of another machine, or one from before there were entries, is known by its lock.
  const std::optional<bool> is_there =
      entry_.tracker.process != 0 ? is_running(entry_.tracker) : std::nullopt;
  const bool is_gone =
      is_there ? !*is_there : entry_.tracker.process == 0 && !is_being_written(entry_.journal);
  if (is_gone) {
    outside_reason_ = recover_text(entry_, brief_now(2));
    return RunState::kLost;
  }
  if (now - follower_.written_at() <= kStaleAfter) return std::nullopt;
  outside_reason_ = kSilent;
  return RunState::kStale;
}

void LiveRun::forget(std::int64_t now) {
  if (!over_since_) over_since_ = now;
  const std::lock_guard lock(wake_mutex_);
  if (now - *over_since_ < kForgottenAfter || !wakes_.empty()) return;
  entry_.brief = brief_now(kKeptPoints);
  followed_.reset();
  feed_.clear();
}

void LiveRun::tell() {
  {
    const std::lock_guard lock(mutex_);
    if (!followed_) return;
    const RunStatus status = brief_now(2).status;
    told_ = status.state;
    feed_.publish(followed_->run, status, followed_->records);
  }
  const std::lock_guard lock(wake_mutex_);
  for (const auto& [number, wake] : wakes_) wake();
}

bool LiveRun::is_over() const {
  const std::lock_guard lock(mutex_);
  return wattree::is_over(brief_now(2).status.state);
}

// --- for those who look ---

RunBrief LiveRun::brief_now(std::size_t points) const {
  // The tracker writes it after all else: it holds even where the journal has no end.
  if (entry_.brief && !(followed_ && followed_->run.ended())) return *entry_.brief;
  if (!followed_) {
    RunBrief out;
    out.status.name = entry_.name;
    out.host = entry_.tracker.host;
    out.status.state = outside_.value_or(RunState::kLive);
    out.status.reason = outside_ ? outside_reason_ : "nothing is known of it yet";
    return out;
  }
  RunBrief out = brief_of(followed_->run, followed_->trace, points);
  if (outside_ && !wattree::is_over(out.status.state)) {
    // One that stands says nothing new, and is there all the same.
    const bool stands =
        *outside_ == RunState::kStale && !is_cut_off_ && out.status.state == RunState::kPaused;
    if (!stands) {
      out.status.state = *outside_;
      out.status.reason = outside_reason_;
      // Nobody knows what it draws now.
      out.status.power.reset();
      out.status.time_left.reset();
    }
  }
  if (!wattree::is_over(out.status.state)) {
    const std::int64_t heard = is_own_ ? handed_at_.load() : follower_.written_at();
    out.status.silent =
        Seconds(static_cast<double>(std::max<std::int64_t>(now_in_seconds() - heard, 0)));
  }
  return out;
}

RunBrief LiveRun::brief(std::size_t points) const {
  const std::lock_guard lock(mutex_);
  return brief_now(points);
}

bool LiveRun::look(const std::function<void(const TrackedRun&, const PowerTrace&)>& show) const {
  const std::lock_guard lock(mutex_);
  if (followed_) show(followed_->run, followed_->trace);
  return followed_.has_value();
}

std::string LiveRun::journal_bytes(std::uint64_t from, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return follower_.bytes_from(from, most);
}

SharedText LiveRun::next(FeedPlace& place) const {
  const std::lock_guard lock(mutex_);
  if (followed_) return feed_.next(place, followed_->run);
  if (!entry_.brief || place.is_over) return nullptr;
  place.is_over = true;
  return std::make_shared<const std::string>(
      event_text("", "ended", to_json(entry_.brief->status)));
}

int LiveRun::subscribe(std::function<void()> wake) {
  const std::lock_guard lock(wake_mutex_);
  wakes_.emplace(next_number_, std::move(wake));
  return next_number_++;
}

void LiveRun::unsubscribe(int number) {
  const std::lock_guard lock(wake_mutex_);
  wakes_.erase(number);
}

}  // namespace wattree
