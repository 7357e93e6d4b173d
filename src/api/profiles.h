// Profiles as a list in JSON.
#pragma once

#include <string>
#include <vector>

#include "src/runs/profile/find.h"

namespace wattree {

// The contract of docs/schemas/profiles.schema.json.
std::string to_json(const std::vector<KnownProfile>& profiles);

}  // namespace wattree
