#include "src/api/model/read_pass.h"

#include <nlohmann/json.hpp>

#include "src/api/model/request_texts.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 32;

void read_sets(JsonFields& fields, PassShape& pass) {
  const nlohmann::json* set = fields.any("set");
  if (set == nullptr) return;
  if (set->is_array()) {
    for (const std::string& text : fields.texts("set")) {
      Result<std::pair<std::string, std::string>> one = parse_set(text);
      if (!one.ok()) return fields.fail(one.error());
      pass.overrides.push_back(std::move(one).value());
    }
  } else if (fields.object("set") != nullptr) {
    for (const auto& [key, value] : set->items()) pass.overrides.emplace_back(key, value.dump());
  }
}

}  // namespace

PassShape read_pass(JsonFields& fields, bool has_size) {
  PassShape pass;
  if (has_size) {
    pass.batch = fields.whole("batch", 1, kMostTokens).value_or(pass.batch);
    pass.seq = fields.whole("seq", 1, kMostTokens);
  }
  pass.target_len = fields.whole("target_len", 1, kMostTokens);
  pass.past = fields.whole("past", 1, kMostTokens);
  pass.dtype = fields.text("dtype");
  pass.attention = fields.text("attention");
  pass.as = fields.text("as");
  read_sets(fields, pass);
  return pass;
}

}  // namespace wattree
