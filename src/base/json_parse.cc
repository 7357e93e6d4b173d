#include "src/base/json_parse.h"

#include <nlohmann/json.hpp>

namespace wattree {

using Json = nlohmann::json;

Result<Json> parse_json(std::string_view text, const std::string& origin) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{ErrorCode::kInvalidInput, origin + ": it is empty", ""};
  }
  constexpr int kMaxDepth = 64;
  bool is_too_deep = false;
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  try {
    Json json = Json::parse(text, guard);
    if (!is_too_deep) return json;
  } catch (const Json::exception& error) {
    std::string what = error.what();
    // The library's message begins with its own tag; the user needs the rest.
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    return Error{ErrorCode::kInvalidInput, origin + ": not valid JSON: " + what, ""};
  }
  return Error{ErrorCode::kInvalidInput,
               origin + ": nested more than " + std::to_string(kMaxDepth) + " levels deep", ""};
}

}  // namespace wattree
