#include "src/models/hub/json_object.h"

#include <nlohmann/json.hpp>

namespace wattree {

bool is_json_object(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false).is_object();
}

}  // namespace wattree
