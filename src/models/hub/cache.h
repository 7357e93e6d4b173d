// The folder that huggingface_hub keeps its downloads in, so that both find what the other fetched:
// models--ORG--NAME/refs/REVISION holds a commit, models--ORG--NAME/snapshots/COMMIT the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/models/hub/repo_name.h"

namespace wattree {

// The repository's config.json as it was last fetched; nothing where there is none, or none that is
// a JSON object of at most `limit` bytes.
std::optional<std::string> read_cached(const std::filesystem::path& cache, const RepoName& repo,
                                       std::uint64_t limit);

// Keeps a config. `commit` is what the revision stands for now; where the Hub did not say (anything
// that is no commit), the config is kept under the revision's own name. A cache that cannot be
// written is no failure: the next time fetches again.
void write_cached(const std::filesystem::path& cache, const RepoName& repo,
                  const std::string& commit, std::string_view config);

}  // namespace wattree
