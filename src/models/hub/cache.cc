#include "src/models/hub/cache.h"

#include <system_error>

#include "src/base/file.h"
#include "src/models/hub/json_object.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

fs::path repo_folder(const fs::path& cache, const RepoName& repo) {
  return cache / ("models--" + repo.org + "--" + repo.name);
}

fs::path config_file(const fs::path& cache, const RepoName& repo, const std::string& commit) {
  return repo_folder(cache, repo) / "snapshots" / commit / "config.json";
}

fs::path ref_file(const fs::path& cache, const RepoName& repo) {
  return repo_folder(cache, repo) / "refs" / repo.revision;
}

bool holds(const fs::path& path, std::string_view text) {
  const Result<std::string> there = read_file(path, text.size());
  return there.ok() && there.value() == text;
}

// Not rewritten where it is right already: huggingface_hub's own file is a link to a shared blob.
void keep(const fs::path& path, std::string_view text) {
  if (holds(path, text)) return;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  (void)write_file(path, text);
}

// The commit that the revision stood for when it was last fetched; empty where that is unknown.
std::string commit_of(const fs::path& cache, const RepoName& repo) {
  constexpr std::uint64_t kMaxRef = 1024;
  const Result<std::string> ref = read_file(ref_file(cache, repo), kMaxRef);
  if (!ref.ok()) return "";
  std::string commit = ref.value();
  while (!commit.empty() && (commit.back() == '\n' || commit.back() == '\r')) commit.pop_back();
  // It becomes a path: a damaged or hostile one must not lead out of the folder.
  return is_revision(commit) ? commit : "";
}

}  // namespace

std::optional<std::string> read_cached(const fs::path& cache, const RepoName& repo,
                                       std::uint64_t limit) {
  if (cache.empty()) return std::nullopt;
  // The revision may be a commit itself, or have been kept by its own name.
  for (const std::string& commit : {commit_of(cache, repo), repo.revision}) {
    if (commit.empty()) continue;
    Result<std::string> text = read_file(config_file(cache, repo, commit), limit);
    if (text.ok() && is_json_object(text.value())) return std::move(text).value();
  }
  return std::nullopt;
}

void write_cached(const fs::path& cache, const RepoName& repo, const std::string& commit,
                  std::string_view config) {
  if (cache.empty()) return;
  if (!is_commit(commit)) {
    // No ref: it would lead huggingface_hub away from the commit whose other files it holds.
    keep(config_file(cache, repo, repo.revision), config);
    return;
  }
  keep(config_file(cache, repo, commit), config);
  if (commit != repo.revision) keep(ref_file(cache, repo), commit);
}

}  // namespace wattree
