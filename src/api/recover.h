// Finishes runs whose tracker died.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

struct RecoveredRun {
  std::filesystem::path journal;
  Profile profile;
  bool had_ended = false;  // The tracker had finished; nothing was missing.
  std::uint64_t records = 0;
  std::vector<std::string> notes;  // What is missing or damaged.
};

// An error where the file is no journal, is still being written, or its first record is damaged.
Result<RecoveredRun> recover_run(const std::filesystem::path& journal);

// The journals in a folder, by name; or the one file.
Result<std::vector<std::filesystem::path>> find_journals(const std::filesystem::path& path);

}  // namespace wattree
