#include "src/measure/dataset/irene_paths.h"

#include <algorithm>

namespace wattree {
namespace {

std::string_view last_part(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);  // rfind's npos + 1 is 0.
}

std::string_view without_last_part(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

bool is_number(std::string_view part) {
  return !part.empty() &&
         std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::int32_t IrenePaths::add(Path path) {
  const auto index = static_cast<std::int32_t>(paths_.size());
  const auto [at, is_new] = by_scope_.emplace(path.scope, index);
  if (is_new) paths_.push_back(std::move(path));
  return at->second;
}

// A list of modules is no node: nothing runs it, so it has no row.
bool IrenePaths::is_container(std::string_view dotted, std::string_view next) const {
  return is_number(next) && rows_.find(dotted) == rows_.end();
}

std::int32_t IrenePaths::find(std::string_view dotted) {
  if (dotted.empty()) return kRoot;
  const auto known = by_dotted_.find(dotted);
  if (known != by_dotted_.end()) return known->second;
  std::string_view above = without_last_part(dotted);
  if (!above.empty() && is_container(above, last_part(dotted))) above = without_last_part(above);
  const std::int32_t parent = find(above);
  const std::int32_t index =
      add({(*this)[parent].scope + "." + std::string(last_part(dotted)), parent, "", 0});
  by_dotted_.emplace(dotted, index);
  return index;
}

std::int32_t IrenePaths::find_op(std::int32_t below, std::string_view class_name, int k) {
  std::string scope = (*this)[below].scope + ":";
  for (const char c : class_name) scope += to_lower(c);
  if (k > 0) scope += "." + std::to_string(k);
  return add({std::move(scope), below, "", 0});
}

}  // namespace wattree
