#include "src/models/hub/repo_name.h"

#include <algorithm>

namespace wattree {
namespace {

constexpr std::size_t kMaxName = 96;
constexpr std::size_t kMaxRevision = 200;

// The standard library's depend on the locale.
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_name_character(char c) { return is_word(c) || c == '.' || c == '-'; }

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && is_word(text.front()) &&
         is_word(text.back()) && std::all_of(text.begin(), text.end(), is_name_character) &&
         !contains(text, "..") && !contains(text, "--");
}

}  // namespace

bool is_revision(std::string_view text) {
  if (text.empty() || text.size() > kMaxRevision || contains(text, "..")) return false;
  char before = '/';
  for (const char c : text) {
    if (c != '/' && !is_name_character(c)) return false;
    if (before == '/' && (c == '/' || c == '.')) return false;
    before = c;
  }
  return before != '/';
}

bool is_commit(std::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::optional<RepoName> parse_repo_name(std::string_view argument,
                                        std::string_view default_revision) {
  std::string_view revision = default_revision;
  if (const auto at = argument.find('@'); at != std::string_view::npos) {
    revision = argument.substr(at + 1);
    argument = argument.substr(0, at);
  }
  const auto slash = argument.find('/');
  if (slash == std::string_view::npos || !is_revision(revision)) return std::nullopt;
  const std::string_view org = argument.substr(0, slash);
  const std::string_view name = argument.substr(slash + 1);
  if (!is_name(org) || !is_name(name)) return std::nullopt;
  return RepoName{std::string(org), std::string(name), std::string(revision)};
}

}  // namespace wattree
