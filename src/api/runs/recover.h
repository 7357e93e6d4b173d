// Finishes runs whose tracker died.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

struct RecoveredRun {
  std::filesystem::path journal;
  Profile profile;
  bool had_ended = false;  // The tracker had finished; nothing was missing.
  std::uint64_t records = 0;
  std::vector<std::string> notes;  // What is missing or damaged.
  std::filesystem::path kept;      // Where the profile is now; empty: it was recovered before.
};

// An error where the file is no journal, is still being written, or its first record is damaged.
// Nothing is kept yet.
Result<RecoveredRun> recover_run(const std::filesystem::path& journal);

struct RecoverRequest {
  std::filesystem::path journal;  // Or a folder of them; empty: the services'.
  std::filesystem::path output;   // The file to write; empty: into the folder.
  std::filesystem::path folder;   // Of profiles; empty: the services'.
};
struct RecoverAnswer {
  std::filesystem::path where;             // Journals were looked for here.
  std::vector<Result<RecoveredRun>> runs;  // Of each journal, by name.
};
Result<RecoverAnswer> recover_runs(const RecoverRequest& request, const Services& services);

}  // namespace wattree
