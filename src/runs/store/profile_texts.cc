#include "src/runs/store/profile_texts.h"

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/base/utf8.h"

namespace wattree {
namespace {

constexpr std::size_t kLongestName = 500;
constexpr std::size_t kLongestTag = 100;
constexpr std::size_t kMostTags = 50;

}  // namespace

Status check_name(const std::string& name) {
  if (!name.empty() && name.size() <= kLongestName && is_utf8(name)) return {};
  return Error{ErrorCode::kInvalidInput,
               "<name> must have 1 to " + std::to_string(kLongestName) + " bytes of UTF-8", "",
               "name"};
}

Status check_length(const std::string& name) {
  if (name.size() <= kLongestName) return {};
  return Error{ErrorCode::kInvalidInput,
               "the name " + in_quotes(name, 40) + " has " + std::to_string(name.size()) +
                   " bytes; at most " + std::to_string(kLongestName) + " are kept",
               "give it a shorter one", "name"};
}

Status check_tags(const std::vector<std::string>& tags) {
  if (tags.size() > kMostTags) {
    return Error{ErrorCode::kInvalidInput,
                 "<tags>: at most " + std::to_string(kMostTags) + " are kept for a profile", "",
                 "tags"};
  }
  for (const std::string& tag : tags) {
    if (!tag.empty() && tag.size() <= kLongestTag && trimmed(tag) == tag && is_utf8(tag)) continue;
    return Error{ErrorCode::kInvalidInput,
                 "<tags>: " + in_quotes(tag) + " must have 1 to " + std::to_string(kLongestTag) +
                     " bytes of UTF-8, without white space at its ends",
                 "", "tags"};
  }
  return {};
}

}  // namespace wattree
