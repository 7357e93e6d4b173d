// Names of models on the Hugging Face Hub. They become URLs and paths in the cache, so only names
// that can be no more than names are let through.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wattree {

struct RepoName {
  std::string org;
  std::string name;
  std::string revision;  // A branch, a tag or a commit.

  std::string text() const { return org + "/" + name + "@" + revision; }
};

// `org/name` or `org/name@revision`; nothing where the argument is neither. The Hub's own rules: up
// to 96 of [A-Za-z0-9._-] each, no "--" (which stands for the slash in the cache) nor "..", a
// letter or digit or "_" at both ends.
std::optional<RepoName> parse_repo_name(std::string_view argument,
                                        std::string_view default_revision);

// [A-Za-z0-9._/-] in parts that are neither empty nor begin with a dot, without "..".
bool is_revision(std::string_view text);

// A full commit hash: what it names never changes.
bool is_commit(std::string_view text);

}  // namespace wattree
