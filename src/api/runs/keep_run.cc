#include "src/api/runs/keep_run.h"

#include "src/base/file.h"
#include "src/runs/profile/folder.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {

namespace fs = std::filesystem;

Result<fs::path> keep_profile(const Profile& profile, const fs::path& output,
                              const fs::path& folder) {
  if (!output.empty()) {
    // The run's journal goes once this is there.
    const Status failure = write_file(output, write_profile_json(profile), {.is_synced = true});
    if (!failure.ok()) return failure.error();
    return output;
  }
  const Result<std::string> id = save_profile(folder, profile);
  if (!id.ok()) return id.error();
  return folder / (id.value() + ".json");
}

std::optional<std::string> obstacle_to(const fs::path& output) {
  std::error_code ignored;
  const fs::path folder = output.parent_path();
  if (fs::is_directory(output, ignored)) return output.string() + " is a folder";
  if (folder.empty() || fs::is_directory(folder, ignored)) return std::nullopt;
  return "there is no folder " + folder.string();
}

std::string other_way(const Profile& profile, const fs::path& journal) {
  std::error_code failed;
  if (fs::exists(journal, failed)) {
    return "`wattree profiles recover " + journal.string() + "` makes the profile again";
  }
  // Everybody may make files there: no name that somebody could have guessed.
  const fs::path file = fs::temp_directory_path(failed) /
                        (journal.stem().string() + "-" + random_letters() + ".json");
  const FileKeeping keeping{.is_private = true, .is_synced = true};
  if (failed || !write_file(file, write_profile_json(profile), keeping).ok()) {
    return "the profile is lost";
  }
  return "the profile is in " + file.string();
}

}  // namespace wattree
