#include "src/api/recover.h"

#include <algorithm>
#include <optional>

#include "src/base/file_error.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/run.h"

namespace wattree {

Result<RecoveredRun> recover_run(const std::filesystem::path& journal) {
  if (is_being_written(journal)) {
    return Error{ErrorCode::kUnavailable, journal.string() + " is still being written by a tracker",
                 "wait until the run has ended"};
  }
  std::optional<TrackedRun> run;
  std::optional<Error> damage;
  std::uint64_t number = 0;
  const Result<JournalEnd> end = read_journal(journal, [&](std::string_view line) {
    ++number;
    Result<Record> record =
        parse_record(line, journal.string() + ": record " + std::to_string(number));
    if (!record.ok()) {
      damage = record.error();
      return false;
    }
    if (run) {
      run->apply(record.value());
      return true;
    }
    if (const auto* begun = std::get_if<RunBegun>(&record.value())) {
      run.emplace(*begun);
      return true;
    }
    damage = Error{ErrorCode::kInvalidInput,
                   journal.string() + " does not begin with the record of a run", ""};
    return false;
  });
  if (!end.ok()) return end.error();
  if (!run) {
    if (damage) return *damage;
    return Error{ErrorCode::kInvalidInput,
                 journal.string() + " holds no run" +
                     (end.value().damage.empty() ? "" : ": " + end.value().damage),
                 "the tracker ended before it had begun"};
  }
  RecoveredRun out;
  out.journal = journal;
  out.records = damage ? number - 1 : end.value().records;
  out.had_ended = run->ended().has_value();
  if (damage) {
    out.notes.push_back(damage->message + "; what came before it is kept");
  } else if (!end.value().damage.empty()) {
    out.notes.push_back(end.value().damage + "; " + std::to_string(end.value().good_bytes) +
                        " of " + std::to_string(end.value().bytes) + " bytes are whole and kept");
  }
  out.profile = run->profile();
  for (const std::string& note : out.notes) {
    out.profile.notes += (out.profile.notes.empty() ? "" : "\n") + note;
  }
  return out;
}

Result<std::vector<std::filesystem::path>> find_journals(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return std::vector<std::filesystem::path>{path};
  }
  std::vector<std::filesystem::path> out;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".journal") out.push_back(entry->path());
  }
  if (error) return file_error("read", path, error.value());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace wattree
