// The JSON of a request's body.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

// One object. Refused are bytes that are no UTF-8, more than 64 levels, and a key that stands twice
// in an object: readers would disagree on which of the two counts.
Result<nlohmann::json> parse_body(std::string_view text);

// Whether a Content-Type says JSON: "application/json", also with a parameter.
bool is_json_type(std::string_view content_type);

}  // namespace wattree
