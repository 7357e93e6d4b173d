// Wattree's own profile files (docs/schemas/profile.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "src/base/json_writer.h"
#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

inline constexpr std::string_view kProfileFormat = "wattree-profile";
inline constexpr int kProfileVersion = 1;

// Reads what write_profile writes, to the last bit. A field that is misspelt, missing or out of
// range is an error that names it; `origin` names the file.
Result<Profile> read_profile_json(std::string_view text, const std::string& origin);

std::string write_profile_json(const Profile& profile, int indent = 2);

// The field `hardware` of an open object: journals have it too.
void write_hardware(JsonWriter& out, const std::vector<HardwareEntry>& hardware);

}  // namespace wattree
