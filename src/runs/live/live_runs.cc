#include "src/runs/live/live_runs.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "src/base/in_quotes.h"
#include "src/base/output_file.h"
#include "src/base/thread.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// Of those that are over; who needs older ones has their profiles.
constexpr std::size_t kMostEntries = 2000;
constexpr std::string_view kCurrent = "current";
constexpr int kTickMs = 1000;
constexpr std::int64_t kListEvery = 2;  // Seconds; for folders that inotify cannot watch.
// A tracker may write many records at once, and one reading takes all of them.
constexpr int kRestMs = 10;

std::int64_t unix_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

void drain(int descriptor) {
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t got = ::read(descriptor, &rings, sizeof rings);
}

// Takes what the kernel has told; true where files have come or gone.
bool take_changes(int descriptor) {
  bool out = false;
  alignas(inotify_event) std::array<char, 16384> bytes;
  while (true) {
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got <= 0) return out;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      out = out || (event->mask & IN_MODIFY) == 0;
      at += sizeof(inotify_event) + event->len;
    }
  }
}

}  // namespace

LiveRuns::LiveRuns(LiveFolders folders)
    : folders_(std::move(folders)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  for (const fs::path& folder : {folders_.runs, folders_.journals}) {
    if (folder.empty()) continue;
    (void)make_private_folder(folder);
    watch(folder, IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MODIFY);
  }
}

Result<std::unique_ptr<LiveRuns>> LiveRuns::start(LiveFolders folders) {
  std::unique_ptr<LiveRuns> out(new LiveRuns(std::move(folders)));
  Result<std::jthread> follower =
      start_thread("the follower of runs", [live = out.get()] { live->follow_all(); });
  if (!follower.ok()) return follower.error();
  out->follower_ = std::move(follower).value();
  return out;
}

LiveRuns::~LiveRuns() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake();
  if (follower_.joinable()) follower_.join();
  if (changes_ >= 0) ::close(changes_);
  ::close(wake_);
}

void LiveRuns::wake() const {
  const std::uint64_t ring = 1;
  [[maybe_unused]] const ssize_t put = ::write(wake_, &ring, sizeof ring);
}

// Without inotify (too many watches, a file system of another machine) the tick does it alone.
void LiveRuns::watch(const fs::path& path, std::uint32_t events) {
  if (changes_ >= 0) ::inotify_add_watch(changes_, path.c_str(), events);
}

// --- the follower's thread ---

bool LiveRuns::wait() const {
  std::array<pollfd, 2> ready{{{wake_, POLLIN, 0}, {changes_, POLLIN, 0}}};
  const int count = ::poll(ready.data(), ready.size(), kTickMs);
  if (count > 0 && ready[1].revents != 0) ::poll(ready.data(), 1, kRestMs);
  drain(wake_);
  return changes_ < 0 || take_changes(changes_);
}

void LiveRuns::follow_once(bool may_have_changed) {
  const std::int64_t now = unix_seconds();
  if (may_have_changed || now - last_list_ >= kListEvery) {
    look_at_folders();
    last_list_ = now;
  }
  const std::vector<std::shared_ptr<LiveRun>> runs = runs_now();
  for (const auto& run : runs) {
    run->follow();
    if (now != last_look_) run->look_after(now);
  }
  last_look_ = now;
}

void LiveRuns::follow_all() {
  bool may_have_changed = true;
  while (true) {
    // Where it fails, the next turn does all of it.
    const bool is_done = attempt([&] { follow_once(may_have_changed); });
    {
      const std::lock_guard lock(mutex_);
      has_looked_ = true;
      if (is_ending_) return;
    }
    is_ready_.notify_all();
    may_have_changed = wait() || !is_done;
  }
}

void LiveRuns::look_at_folders() {
  const std::vector<std::string> ids = list_run_entries(folders_.runs);
  std::size_t taken = 0;
  for (const std::string& id : ids) {
    if (++taken > kMostEntries) break;
    take_entry(id);
  }
  std::error_code error;
  for (fs::directory_iterator file(folders_.journals, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".journal") take_journal(file->path());
  }
}

void LiveRuns::take_entry(const std::string& id) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(folders_.runs / (id + ".json"), error);
  const auto known = entries_.find(id);
  if (error || (known != entries_.end() && known->second == written)) return;
  entries_[id] = written;
  Result<RunEntry> entry = read_run_entry(folders_.runs, id);
  if (!entry.ok())
    return;  // Damaged, or of a newer program: its journal may be found all the same.
  const fs::path journal = entry.value().journal;
  const bool is_over = entry.value().brief.has_value();
  std::shared_ptr<LiveRun> run;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<LiveRun>& place = runs_[id];
    if (place) {
      run = place;
    } else {
      place = std::make_shared<LiveRun>(entry.value());
    }
  }
  if (run) run->set_entry(std::move(entry).value());
  // One in the folder of journals is watched with it.
  if (!is_over && journal.parent_path() != folders_.journals) watch(journal, IN_MODIFY);
}

void LiveRuns::take_journal(const fs::path& journal) {
  const std::string id = run_id(journal);
  if (!is_run_id(id)) return;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<LiveRun>& place = runs_[id];
  if (place) return;
  RunEntry entry;
  entry.id = id;
  entry.name = id;
  entry.journal = journal;
  place = std::make_shared<LiveRun>(std::move(entry));
}

// --- for any thread ---

std::vector<std::shared_ptr<LiveRun>> LiveRuns::runs_now() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LiveRun>> out;
  out.reserve(runs_.size());
  for (const auto& [id, run] : runs_) out.push_back(run);
  return out;
}

std::vector<std::shared_ptr<LiveRun>> LiveRuns::list() const {
  {
    std::unique_lock lock(mutex_);
    is_ready_.wait(lock, [this] { return has_looked_; });
  }
  return runs_now();
}

Result<std::shared_ptr<LiveRun>> LiveRuns::find(std::string_view id) const {
  const std::vector<std::shared_ptr<LiveRun>> all = list();
  std::string wanted(id);
  const bool is_current = id == kCurrent;
  if (is_current) {
    const std::lock_guard lock(mutex_);
    wanted = current_;
  }
  for (const std::shared_ptr<LiveRun>& run : all) {
    const bool is_newest = is_current && wanted.empty() && !run->is_over();
    if (run->id() == wanted || is_newest) return run;
  }
  return Error{ErrorCode::kNotFound,
               is_current ? "no run goes on here" : "there is no run " + in_quotes(id),
               "GET /api/v1/runs lists those that there are", "id"};
}

void LiveRuns::set_current(const std::string& id) {
  const std::lock_guard lock(mutex_);
  current_ = id;
}

Result<ControlAnswer> LiveRuns::set_paused(std::string_view id, bool is_paused) {
  const Result<std::shared_ptr<LiveRun>> run = find(id);
  if (!run.ok()) return run.error();
  if (run.value()->is_over()) {
    return Error{ErrorCode::kUnavailable, "the run " + in_quotes(id) + " is over", ""};
  }
  Result<ControlAnswer> answer = run.value()->set_paused(is_paused);
  wake();
  return answer;
}

void LiveRuns::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  runs_.erase(id);
}

std::shared_ptr<LiveRun> LiveRuns::add_own(RunEntry entry) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<LiveRun>& place = runs_[entry.id];
  if (!place) place = std::make_shared<LiveRun>(std::move(entry));
  return place;
}

}  // namespace wattree
