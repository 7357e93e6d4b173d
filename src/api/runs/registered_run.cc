#include "src/api/runs/registered_run.h"

#include <unistd.h>

#include "src/runs/track/control_socket.h"

namespace wattree {
namespace {
constexpr std::size_t kKeptPoints = 120;
}  // namespace

RunEntry entry_of(const TrackOptions& options) {
  std::error_code ignored;
  RunEntry out;
  out.id = run_id(options.journal);
  out.name = options.run.name;
  // Whoever reads it may be in another folder.
  out.journal = std::filesystem::absolute(options.journal, ignored);
  if (!options.runtime.empty()) out.socket = control_path(options.runtime, ::getpid());
  out.tracker = mark_of(::getpid());
  return out;
}

TrackObserver RegisteredRun::observer() {
  TrackObserver out = observer_;
  out.on_record = [this](const Record& record) {
    take(record);
    if (observer_.on_record) observer_.on_record(record);
  };
  return out;
}

void RegisteredRun::take(const Record& record) {
  if (const auto* begun = std::get_if<RunBegun>(&record)) {
    trace_.emplace(begun->at);
    write();
  } else if (const auto* totals = std::get_if<Totals>(&record); totals != nullptr && trace_) {
    trace_->add(*totals);
  }
}

void RegisteredRun::write() {
  if (folder_.empty()) return;
  const Status failure = write_run_entry(folder_, entry_);
  if (!failure.ok() && observer_.on_message && !is_failure_told_) {
    is_failure_told_ = true;
    observer_.on_message("the run is not listed by servers: " + failure.error().message);
  }
}

void RegisteredRun::finish(const TrackedRun& run, const std::filesystem::path& profile) {
  std::error_code ignored;
  if (!trace_) return;
  entry_.brief = brief_of(run, *trace_, kKeptPoints);
  if (!profile.empty()) entry_.profile = std::filesystem::absolute(profile, ignored);
  write();
}

void RegisteredRun::withdraw() {
  if (!folder_.empty()) static_cast<void>(remove_run_entry(folder_, entry_.id));
}

}  // namespace wattree
