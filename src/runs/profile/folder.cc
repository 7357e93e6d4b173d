#include "src/runs/profile/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "src/base/file.h"
#include "src/base/folder_entries.h"
#include "src/runs/profile/profile_json.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
         (c >= 'A' && c <= 'Z');
}

Error failed(const char* what, const fs::path& path, const std::error_code& error) {
  const bool is_refused = error == std::errc::permission_denied;
  return {is_refused ? ErrorCode::kPermission : ErrorCode::kUnavailable,
          std::string("cannot ") + what + " " + path.string() + ": " + error.message(), ""};
}

// Takes a name for itself, also where two programs want it at once. False and no error: it is
// taken.
bool reserve(const fs::path& path, std::error_code& error) {
  error.clear();
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    if (errno != EEXIST) error = std::error_code(errno, std::generic_category());
    return false;
  }
  ::close(file);
  return true;
}

}  // namespace

std::string profile_id(std::string_view name) {
  std::string id;
  for (const char c : name.substr(0, 80)) {
    if (is_id_character(c)) {
      id += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (id.ends_with('-') || id.ends_with('.')) id.pop_back();
  id.erase(0, id.find_first_not_of(".-"));
  return id.empty() ? "profile" : id;
}

Result<fs::path> profile_path(const fs::path& folder, std::string_view id) {
  const bool is_plain = !id.empty() && id.front() != '.' && id.size() <= 200 &&
                        std::all_of(id.begin(), id.end(), is_id_character);
  if (!is_plain) {
    return Error{ErrorCode::kInvalidInput, "\"" + std::string(id) + "\" is not a profile's id",
                 "`wattree profiles list` shows them"};
  }
  return folder / (std::string(id) + ".json");
}

Result<std::vector<StoredProfile>> list_profiles(const fs::path& folder) {
  std::vector<StoredProfile> out;
  const Result<bool> is_there = file_exists(folder);
  if (!is_there.ok()) return is_there.error();
  if (!is_there.value()) return out;
  const Result<std::vector<fs::path>> files = folder_entries(folder);
  if (!files.ok()) return files.error();
  for (const fs::path& path : files.value()) {
    if (path.extension() != ".json" || path.filename().string().starts_with('.')) continue;
    Result<ReadProfile> read = read_profile_file(path);
    out.push_back({path.stem().string(), read.ok() ? Result<Profile>(read.value().profile)
                                                   : Result<Profile>(read.error())});
  }
  std::sort(out.begin(), out.end(),
            [](const StoredProfile& a, const StoredProfile& b) { return a.id < b.id; });
  return out;
}

Result<std::string> save_profile(const fs::path& folder, const Profile& profile,
                                 std::string_view id) {
  std::error_code error;
  if (!make_private_folder(folder)) {
    return failed("create", folder, std::error_code(errno, std::generic_category()));
  }
  const std::string base = profile_id(id.empty() ? std::string_view(profile.name) : id);
  std::string name = base;
  for (int number = 2; !reserve(folder / (name + ".json"), error); ++number) {
    if (error) return failed("create", folder / (name + ".json"), error);
    name = base + "-" + std::to_string(number);
  }
  const FileKeeping keeping{.is_private = true, .is_synced = true};
  if (const Status failure =
          write_file(folder / (name + ".json"), write_profile_json(profile), keeping);
      !failure.ok()) {
    fs::remove(folder / (name + ".json"), error);
    return failure.error();
  }
  return name;
}

}  // namespace wattree
