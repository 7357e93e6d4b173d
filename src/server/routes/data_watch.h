// Notices that files which answers are made from have changed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

namespace wattree {

// Looks at names, sizes and times of the files in some folders, and of each folder/config.json in
// them, at most once a second: a look costs some microseconds. May be used by many threads.
class DataWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit DataWatch(std::vector<std::filesystem::path> folders);

  // Whether anything changed since the last look; of several callers one is told.
  bool has_changed(Time now);

 private:
  std::uint64_t stamp() const;

  const std::vector<std::filesystem::path> folders_;
  std::atomic<Time> next_look_{Time::min()};
  std::mutex mutex_;
  std::uint64_t stamp_;
};

}  // namespace wattree
