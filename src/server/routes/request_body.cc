#include "src/server/routes/request_body.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "src/base/in_quotes.h"
#include "src/base/json_parse.h"
#include "src/base/text.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr int kMostLevels = 64;
// Of the document in memory: several times what the largest config takes.
constexpr std::size_t kMostInMemory = std::size_t{24} << 20;

Error bad(std::string message, std::string field = {}) {
  return {ErrorCode::kInvalidInput, "the body " + std::move(message), "", std::move(field)};
}

// Watches a document while it is parsed.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    is_too_deep_ = is_too_deep_ || depth > kMostLevels;
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty() && twice_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) twice_ = key.empty() ? "\"\"" : key;
    }
    return !is_too_deep_;
  }
  bool is_too_deep() const { return is_too_deep_; }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> keys_;  // Of the objects that are open.
  std::string twice_;
  bool is_too_deep_ = false;
};

}  // namespace

Result<Json> parse_body(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return bad("is empty");
  if (document_bytes(text) > kMostInMemory) {
    return bad("has too many values: as a document it would take more than " +
               std::to_string(kMostInMemory >> 20) + " MiB of memory");
  }
  Watch watch;
  Json json;
  try {
    json = Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::exception& error) {
    std::string what = error.what();
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    return bad("is not valid JSON: " + printable(what));
  }
  if (watch.is_too_deep()) {
    return bad("is nested more than " + std::to_string(kMostLevels) + " levels deep");
  }
  if (!watch.twice().empty()) {
    const std::string key = printable(watch.twice().substr(0, 60));
    return bad("has the key " + in_quotes(key) + " twice in an object", key);
  }
  if (!json.is_object()) {
    return bad(std::string("must be an object, not ") + json.type_name());
  }
  return json;
}

bool is_json_type(std::string_view content_type) {
  std::string type(trimmed(content_type.substr(0, content_type.find(';'))));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type == "application/json";
}

}  // namespace wattree
