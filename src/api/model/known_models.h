// The models that have names here: the bundled ones, and those that somebody dropped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/predict/estimate/compare_models.h"

namespace wattree {

// The config that was dropped under this name. A bundled model's name is its own.
std::optional<std::string> find_dropped(const std::string& name, const Services& services);

std::vector<NamedModel> bundled_texts();
// With the dropped ones after them.
std::vector<NamedModel> known_texts(const Services& services);

}  // namespace wattree
