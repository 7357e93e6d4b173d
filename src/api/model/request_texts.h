// Fields of requests that users write as texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.h"
#include "src/models/tree/view.h"

namespace wattree {

// "n_layer=24": a field of the config, and what it is to be instead.
Result<std::pair<std::string, std::string>> parse_set(std::string_view text);

// Down to a level ("model", "module", "ml" or "math"); empty is `otherwise`.
Result<TreeView> parse_view(std::string_view level, std::optional<int> depth,
                            Level otherwise = Level::kMath);

// "3%" is 0.03.
Result<double> parse_limit(std::string_view text);

}  // namespace wattree
