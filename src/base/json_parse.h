// JSON text into nlohmann's document, with errors as values and a bound on nesting.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace wattree {

// `origin` names the text in errors. Copying and printing a document recurse, so that a file must
// not choose how deep it is nested: more than 64 levels are refused.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& origin);

}  // namespace wattree
