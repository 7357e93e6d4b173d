#include "src/server/routes/data_watch.h"

#include <functional>
#include <string>
#include <system_error>

namespace wattree {
namespace {

constexpr std::chrono::seconds kPause(1);
constexpr int kDeepest = 1;  // NAME/config.json

std::uint64_t stamp_of(const std::filesystem::directory_entry& entry) {
  std::error_code ignored;
  const auto time = entry.last_write_time(ignored).time_since_epoch().count();
  const auto size = entry.file_size(ignored);
  return std::hash<std::string>()(entry.path().string() + '\n' + std::to_string(time) + '\n' +
                                  std::to_string(size));
}

}  // namespace

DataWatch::DataWatch(std::vector<std::filesystem::path> folders)
    : folders_(std::move(folders)), stamp_(stamp()) {}

bool DataWatch::has_changed(Time now) {
  if (now < next_look_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  if (now < next_look_.load(std::memory_order_relaxed)) return false;
  next_look_ = now + kPause;
  const std::uint64_t seen = stamp();
  const bool is_new = seen != stamp_;
  stamp_ = seen;
  return is_new;
}

std::uint64_t DataWatch::stamp() const {
  std::uint64_t sum = 0;
  for (const std::filesystem::path& folder : folders_) {
    std::error_code problem;
    std::filesystem::recursive_directory_iterator entries(folder, problem);
    for (; !problem && entries != std::filesystem::recursive_directory_iterator();
         entries.increment(problem)) {
      if (entries.depth() >= kDeepest) entries.disable_recursion_pending();
      // Their order in a folder means nothing: a sum does not see it.
      sum += stamp_of(*entries);
    }
  }
  return sum;
}

}  // namespace wattree
