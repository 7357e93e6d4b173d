// All runs of this machine, found by themselves: those that go on are followed by their journals.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/base/result.h"
#include "src/runs/live/live_run.h"
#include "src/runs/track/control_socket.h"

namespace wattree {

struct LiveFolders {
  std::filesystem::path runs;      // Entries of the registry.
  std::filesystem::path journals;  // Of trackers that are at work, where users name no other.
};

// One thread follows all of them, as the kernel tells of changes (inotify) and once a second in any
// case. All functions may be called from many threads.
class LiveRuns {
 public:
  // An error where its thread cannot start.
  static Result<std::unique_ptr<LiveRuns>> start(LiveFolders folders);
  LiveRuns(const LiveRuns&) = delete;
  LiveRuns& operator=(const LiveRuns&) = delete;
  ~LiveRuns();

  // The newest first. The first call waits until the folders have been looked at once.
  std::vector<std::shared_ptr<LiveRun>> list() const;
  // An error where there is none of that id. "current" is the one that was named so, or else the
  // newest that goes on.
  Result<std::shared_ptr<LiveRun>> find(std::string_view id) const;
  // Asks the run's tracker.
  Result<ControlAnswer> set_paused(std::string_view id, bool is_paused);

  // A run that this process tracks itself: hand_over() its records, then call wake().
  std::shared_ptr<LiveRun> add_own(RunEntry entry);
  void wake() const;
  void set_current(const std::string& id);
  void remove(const std::string& id);  // From the list alone.

 private:
  explicit LiveRuns(LiveFolders folders);
  void follow_all();
  void follow_once(bool may_have_changed);
  bool wait() const;  // Whether the folders may have changed.
  void look_at_folders();
  void take_entry(const std::string& id);
  void take_journal(const std::filesystem::path& journal);
  void watch(const std::filesystem::path& path, std::uint32_t events);
  std::vector<std::shared_ptr<LiveRun>> runs_now() const;

  const LiveFolders folders_;
  int wake_ = -1, changes_ = -1;
  mutable std::mutex mutex_;
  mutable std::condition_variable is_ready_;
  bool has_looked_ = false, is_ending_ = false;
  std::map<std::string, std::shared_ptr<LiveRun>, std::greater<>> runs_;
  std::string current_;
  // The follower's thread alone.
  std::int64_t last_look_ = 0, last_list_ = 0;                      // In seconds since 1970.
  std::map<std::string, std::filesystem::file_time_type> entries_;  // When each was read.
  std::jthread follower_;
};

}  // namespace wattree
