// JSON text into nlohmann's document, with errors as values and a bound on nesting.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace wattree {

// `origin` names the text in errors. Copying and printing a document recurse, so that a file must
// not choose how deep it is nested: more than 64 levels are refused. Takes time and memory in
// proportion to the text, whatever it holds.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& origin);

// Of an object whose field `array` may be too long to be in memory as a document: its elements are
// handed over one by one, with their index, and it is empty in what is returned. Elements may have
// been handed over before an error is found.
using TakeElement = std::function<void(const nlohmann::json& element, std::size_t index)>;
Result<nlohmann::json> parse_json(std::string_view text, const std::string& origin,
                                  std::string_view array, const TakeElement& take);

// About how many bytes the text takes as a document in memory: "[],[],[]" takes twenty times as
// many as it has. Cheap, and right for texts that are not valid, too.
std::size_t document_bytes(std::string_view text);

// The first of these names that is a field of the object; empty where the text is no object or has
// none of them. Reads only as far as it must.
std::string_view first_field(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace wattree
