#include "src/runs/store/inbox.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "src/runs/profile/folder.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// A tracker takes a name with an empty file, and puts the profile in its place a moment later.
constexpr auto kReservedFor = std::chrono::seconds(10);

std::optional<FileState> state_of(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return FileState{path.filename().string(), found.st_size,
                   std::int64_t{found.st_mtim.tv_sec} * kNanoseconds + found.st_mtim.tv_nsec};
}

bool is_reserved(const FileState& file, UtcTime now) {
  const auto changed = std::chrono::nanoseconds(file.changed_ns);
  return file.bytes == 0 && now.time_since_epoch() < changed + kReservedFor;
}

Result<std::vector<FileState>> files_in(const fs::path& folder, UtcTime now) {
  std::vector<FileState> out;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return out;
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != ".json" || path.filename().string().starts_with('.')) continue;
    std::optional<FileState> file = state_of(path);
    if (file && !is_reserved(*file, now)) out.push_back(std::move(*file));
  }
  if (error) {
    const bool is_refused = error == std::errc::permission_denied;
    return Error{is_refused ? ErrorCode::kPermission : ErrorCode::kUnavailable,
                 "the folder of profiles cannot be read: " + error.message(), ""};
  }
  std::sort(out.begin(), out.end(),
            [](const FileState& a, const FileState& b) { return a.name < b.name; });
  return out;
}

Result<Profile> profile_of(Result<ReadProfile> read) {
  if (!read.ok()) return read.error();
  return std::move(read).value().profile;
}

// No file of a folder has a name like this one.
std::string bundled_name(std::string_view id) { return "/bundled/" + std::string(id); }

// Which text it is: another version of the program may have another one of the same length.
std::int64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<std::int64_t>(hash >> 1);
}

class TakenFiles {
 public:
  explicit TakenFiles(const std::vector<FileState>& files) {
    for (const FileState& file : files) by_name_.emplace(file.name, file);
  }
  bool has(const FileState& file) const {
    const auto known = by_name_.find(file.name);
    return known != by_name_.end() && known->second == file;
  }

 private:
  std::map<std::string, FileState> by_name_;
};

Status take_file(const fs::path& path, FileState file, ProfileStore& store, UtcTime now) {
  Result<Profile> profile = profile_of(read_profile_file(path, file.name));
  if (!profile.ok() && profile.error().code != ErrorCode::kInvalidInput) {
    // No fault of its content, and it may be gone without a change of the file: look again.
    file.changed_ns = 0;
    profile = Error{profile.error().code, file.name + " cannot be opened",
                    "may you read it? `ls -l` shows its owner and mode"};
  }
  const std::string stem = path.stem().string();
  return store.take(file, profile_path("", stem).ok() ? stem : profile_id(stem),
                    ProfileOrigin::kTracked, profile, now);
}

}  // namespace

Status take_in(const fs::path& folder, ProfileStore& store, UtcTime now) {
  const Result<std::vector<FileState>> files = files_in(folder, now);
  if (!files.ok()) return files.error();
  const Result<std::vector<FileState>> known = store.taken_files();
  if (!known.ok()) return known.error();
  const TakenFiles taken(known.value());
  for (const FileState& file : files.value()) {
    if (taken.has(file)) continue;
    Status failure = take_file(folder / file.name, file, store, now);
    if (!failure.ok()) return failure;
  }
  for (const BundledProfile& bundled : bundled_profiles()) {
    const FileState file{bundled_name(bundled.id), static_cast<std::int64_t>(bundled.json.size()),
                         fingerprint(bundled.json)};
    if (taken.has(file)) continue;
    const std::string id(bundled.id);
    Status failure = store.take(file, id, ProfileOrigin::kBundled,
                                profile_of(read_profile(bundled.json, id)), now);
    if (!failure.ok()) return failure;
  }
  return {};
}

void delete_purged(const fs::path& folder, const std::vector<FileState>& files) {
  for (const FileState& file : files) {
    const fs::path path = folder / fs::path(file.name).filename();
    std::error_code ignored;
    if (state_of(path) == file) fs::remove(path, ignored);
  }
}

}  // namespace wattree
