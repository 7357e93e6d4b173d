#include "src/models/hub/resolve.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "src/base/file.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/models/hub/bundled.h"
#include "src/models/hub/cache.h"
#include "src/models/hub/download.h"
#include "src/models/hub/repo_name.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// What else a model may be.
std::string other_ways(const HubOptions& options) {
  return std::string("a model is a bundled name (see `wattree models`), ") +
         (options.allow_files ? "the path of a config.json or its folder, " : "") +
         "or org/name as on the Hugging Face Hub";
}

// The hint of a name that is nowhere: the bundled names like it come first.
std::string hint_of_nearest(std::string_view name, const std::string& hint) {
  std::vector<std::string_view> names;
  for (const BundledModel& model : bundled_models()) names.push_back(model.name);
  const std::vector<std::string> near = nearest(name, names);
  return near.empty() ? hint : "did you mean " + join(near, " or ") + "? Otherwise " + hint;
}

// The hint of a model that is out of reach: the one within it may do.
std::string hint_of_bundled(const std::string& name, const std::string& hint) {
  if (find_bundled(name) == nullptr) return hint;
  return name + ", without the organisation, is bundled and needs no network; otherwise " + hint;
}

Result<ModelText> read_config(const fs::path& path, const HubOptions& options) {
  Result<std::string> text = read_file(path, options.size_limit);
  if (!text.ok()) {
    Error error = text.error();
    error.hint = other_ways(options);
    return error;
  }
  return ModelText{std::move(text).value(), path.string(), ModelSource::kFile, ""};
}

Result<ModelText> from_cache(const RepoName& repo, const HubOptions& options, Error otherwise) {
  std::optional<std::string> text = read_cached(options.cache, repo, options.size_limit);
  if (!text) return otherwise;
  return ModelText{*std::move(text), repo.text(), ModelSource::kCache, ""};
}

Result<ModelText> from_hub(const RepoName& repo, const HubOptions& options) {
  if (!options.asks_hub) {
    return Error{ErrorCode::kPermission,
                 "models of the Hugging Face Hub are for callers with a token here",
                 hint_of_bundled(repo.name,
                                 "send Authorization: Bearer TOKEN, or give the model's "
                                 "config.json as <config>; `wattree models` has others")};
  }
  if (options.offline) {
    // Whoever may not have files opened is not told where they are.
    const bool is_shown = options.allow_files && !options.cache.empty();
    const std::string where = is_shown ? " (" + options.cache.string() + ")" : "";
    Error error{
        ErrorCode::kUnavailable,
        repo.text() + " is not in the cache" + where + ", and being offline is asked for",
        hint_of_bundled(repo.name, options.allow_files
                                       ? "unset HF_HUB_OFFLINE, or give a config.json's path"
                                       : "give its config.json as <config>")};
    return from_cache(repo, options, std::move(error));
  }
  if (is_commit(repo.revision)) {
    if (Result<ModelText> cached = from_cache(repo, options, Error{}); cached.ok()) return cached;
  }
  Result<Download> fetched = download_config(repo, options);
  if (fetched.ok()) {
    Download got = std::move(fetched).value();
    write_cached(options.cache, repo, got.commit, got.config);
    return ModelText{std::move(got.config), repo.text(), ModelSource::kHub, ""};
  }
  Error error = fetched.error();
  if (error.code == ErrorCode::kNotFound) error.hint = hint_of_nearest(repo.name, error.hint);
  if (error.code == ErrorCode::kUnavailable) {
    Result<ModelText> cached = from_cache(repo, options, error);
    if (cached.ok()) {
      ModelText text = std::move(cached).value();
      text.note = "using the cached copy of " + repo.text() + ": " + error.message;
      return text;
    }
    error.hint = hint_of_bundled(repo.name, error.hint);
  }
  return error;
}

Error nowhere(const std::string& argument, const HubOptions& options) {
  const bool is_path = argument.find('/') != std::string::npos || argument.ends_with(".json");
  std::string message = "no model " + in_quotes(argument) + ": ";
  if (!is_path) {
    message += options.allow_files ? "no bundled model, file or folder has that name"
                                   : "no bundled model has that name";
  } else if (options.allow_files) {
    message += "there is no such file or folder";
  } else {
    message += "neither a bundled name nor org/name on the Hub";
  }
  return {ErrorCode::kNotFound, message,
          hint_of_nearest(argument.substr(argument.rfind('/') + 1), other_ways(options))};
}

}  // namespace

Result<ModelText> resolve_model(const std::string& argument, const HubOptions& options) {
  if (argument.empty())
    return Error{ErrorCode::kInvalidInput, "the model is empty", other_ways(options)};

  std::error_code ignored;
  fs::file_type type = fs::file_type::not_found;
  // A path ends at its first zero byte: what follows must not be lost unseen.
  if (options.allow_files && argument.find('\0') == std::string::npos)
    type = fs::status(argument, ignored).type();
  if (type == fs::file_type::directory) {
    const fs::path file = fs::path(argument) / "config.json";
    if (fs::exists(file, ignored)) return read_config(file, options);
  } else if (type != fs::file_type::not_found && type != fs::file_type::none) {
    return read_config(argument, options);  // Also one whose folder is closed to us.
  }

  if (const BundledModel* model = find_bundled(argument)) {
    return ModelText{std::string(model->json), std::string(model->name), ModelSource::kBundled, ""};
  }

  const std::optional<RepoName> repo = parse_repo_name(argument, options.revision);
  if (type == fs::file_type::directory) {
    const std::string on_hub = argument + "@" + options.revision;
    return Error{
        ErrorCode::kNotFound, "the folder " + in_quotes(argument) + " holds no config.json",
        repo ? "for the model of that name on the Hub, write " + on_hub : other_ways(options)};
  }
  // A misspelt path is no reason to ask the Hub.
  if (repo && !argument.ends_with(".json")) return from_hub(*repo, options);
  return nowhere(argument, options);
}

}  // namespace wattree
