#include "src/api/runs/recover.h"

#include <algorithm>
#include <optional>

#include "src/api/runs/run_request.h"
#include "src/base/amounts.h"
#include "src/base/file.h"
#include "src/base/file_error.h"
#include "src/runs/live/run_registry.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/run.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// What could be made of a journal's records, in their order.
struct JournalRun {
  std::optional<TrackedRun> run;
  std::optional<Error> damage;  // Of the record at `number`; nothing after it is taken.
  std::uint64_t number = 0;

  bool take(std::string_view line, const std::string& journal);
};

bool JournalRun::take(std::string_view line, const std::string& journal) {
  ++number;
  const Result<Record> record = parse_record(line, journal + ": record " + std::to_string(number));
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
  damage =
      Error{ErrorCode::kInvalidInput, journal + " does not begin with the record of a run", ""};
  return false;
}

// The journals in a folder, by name; or the one file. Before the first run there is no folder of
// journals, and nothing to recover; one that the user names must be there.
Result<std::vector<fs::path>> find_journals(const fs::path& path, bool is_named) {
  std::error_code error;
  if (!is_named && !fs::exists(path, error)) return std::vector<fs::path>();
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> out;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".journal") out.push_back(entry->path());
  }
  if (error) return file_error("read", path, error.value());
  std::sort(out.begin(), out.end());
  return out;
}

// A run is known by its name and the moment it began: the folder has its profile already.
bool is_kept(const fs::path& folder, const Profile& profile) {
  const Result<std::vector<StoredProfile>> stored = list_profiles(folder);
  if (!stored.ok()) return false;
  const auto began = [](const Profile& run) {
    return run.epochs.empty() ? std::nullopt : run.epochs.front().start;
  };
  return std::any_of(stored.value().begin(), stored.value().end(), [&](const StoredProfile& other) {
    return other.profile.ok() && other.profile.value().name == profile.name &&
           began(other.profile.value()) == began(profile);
  });
}

// Where the profile is: a file that the user names, or the folder, where its id is made from its
// name, as that of any run. Empty: it is there already.
Result<fs::path> keep(const RecoveredRun& run, const RecoverRequest& request,
                      const Services& services) {
  if (!request.output.empty()) {
    const Status failure =
        write_file(request.output, write_profile_json(run.profile), {.is_synced = true});
    if (!failure.ok()) return failure.error();
    return request.output;
  }
  const fs::path folder = profile_folder(request.folder, services);
  if (is_kept(folder, run.profile)) return fs::path();
  const Result<std::string> saved = save_profile(folder, run.profile);
  if (!saved.ok()) return saved.error();
  return folder / (saved.value() + ".json");
}

// The run's entry, where it has one, says where its profile is.
void note_recovered(const fs::path& journal, const fs::path& profile, const Services& services) {
  Result<RunEntry> entry = read_run_entry(services.runs, run_id(journal));
  std::error_code ignored;
  if (!entry.ok() || !entry.value().profile.empty()) return;
  RunEntry changed = std::move(entry).value();
  changed.profile = fs::absolute(profile, ignored);
  // The profile is what was asked for: without the entry it is found all the same.
  static_cast<void>(write_run_entry(services.runs, changed));
}

Result<RecoveredRun> recover_and_keep(const fs::path& journal, const RecoverRequest& request,
                                      const Services& services) {
  Result<RecoveredRun> recovered = recover_run(journal);
  if (!recovered.ok()) return recovered;
  RecoveredRun out = std::move(recovered).value();
  Result<fs::path> kept = keep(out, request, services);
  if (!kept.ok()) return kept.error();
  out.kept = std::move(kept).value();
  if (!out.kept.empty()) note_recovered(journal, out.kept, services);
  return out;
}

}  // namespace

Result<RecoveredRun> recover_run(const fs::path& journal) {
  if (is_being_written(journal)) {
    return Error{ErrorCode::kUnavailable, journal.string() + " is still being written by a tracker",
                 "wait until the run has ended"};
  }
  JournalRun read;
  const Result<JournalEnd> end = read_journal(
      journal, [&](std::string_view line) { return read.take(line, journal.string()); });
  if (!end.ok()) return end.error();
  const std::string& torn = end.value().damage;
  if (!read.run) {
    if (read.damage) return *read.damage;
    return Error{ErrorCode::kInvalidInput,
                 journal.string() + " holds no run" + (torn.empty() ? "" : ": " + torn),
                 "the tracker ended before it had begun"};
  }
  RecoveredRun out;
  out.journal = journal;
  out.records = read.damage ? read.number - 1 : end.value().records;
  out.had_ended = read.run->ended().has_value();
  if (read.damage) {
    out.notes.push_back(read.damage->message + "; what came before it is kept");
  } else if (!torn.empty()) {
    out.notes.push_back(torn + "; " + std::to_string(end.value().good_bytes) + " of " +
                        std::to_string(end.value().bytes) + " bytes are whole and kept");
  }
  out.profile = read.run->profile();
  for (const std::string& note : out.notes) {
    out.profile.notes += (out.profile.notes.empty() ? "" : "\n") + note;
  }
  // The profile says where its figures end; here, how much that may leave out.
  if (!out.had_ended) {
    out.notes.push_back("the tracker died: its last record is of " + to_text(read.run->duration()) +
                        " after the beginning; up to a second more is not in the figures");
  }
  return out;
}

Result<RecoverAnswer> recover_runs(const RecoverRequest& request, const Services& services) {
  RecoverAnswer out{request.journal.empty() ? services.journals : request.journal, {}};
  const Result<std::vector<fs::path>> journals = find_journals(out.where, !request.journal.empty());
  if (!journals.ok()) return journals.error();
  if (journals.value().size() > 1 && !request.output.empty()) {
    return Error{ErrorCode::kInvalidInput, out.where.string() + " has more than one journal",
                 "name one of them to write it with <output>", "output"};
  }
  for (const fs::path& journal : journals.value()) {
    out.runs.push_back(recover_and_keep(journal, request, services));
  }
  return out;
}

}  // namespace wattree
