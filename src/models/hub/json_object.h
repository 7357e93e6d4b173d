// Is this text a config at all?
#pragma once

#include <string_view>

namespace wattree {

// Whether the whole text is one JSON object.
bool is_json_object(std::string_view text);

}  // namespace wattree
